// A browser starts no worker for a page that was opened as a file. There the search runs in a frame of the page instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.started = new Promise((start) => {
        const script = inside.document.createElement("script");
        script.onload = () => start(inside);
        script.src = address;
        inside.document.head.append(script);
      });
    }

    postMessage(data) {
      this.started.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
  };
}
