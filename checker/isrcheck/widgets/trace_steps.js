const DARK = "(prefers-color-scheme: dark)";

/** Whether the page around an element writes light on dark: notebooks have themes of their own. */
const isDark = (element) => {
  const colour = getComputedStyle(element).color;
  const parts = (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number);
  const [red, green, blue] = colour.startsWith("color(") ? parts.map((part) => 255 * part) : parts;
  return 0.299 * red + 0.587 * green + 0.114 * blue > 128;
};

const render = ({ model, el }) => {
  const host = document.createElement("div");
  el.append(host);
  // In a shadow the names of style sheet and elements are its own, whatever else the notebook shows.
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  const heading = document.createElement("header");
  heading.append(made("h1", model.get("_heading")));
  const page = document.createElement("template");
  page.innerHTML = model.get("_page");
  root.append(style, heading, page.content);

  const dress = () => {
    const dark = isDark(el);
    host.style.colorScheme = dark ? "dark" : "light";
    style.textContent = model.get("_style").replaceAll(DARK, dark ? "all" : "not all");
  };
  dress();
  const sized = new ResizeObserver(dress); // also once it stands in the page
  sized.observe(el);
  const themed = new MutationObserver(dress);
  themed.observe(document.body, { attributes: true });

  const go = walkThrough(JSON.parse(model.get("_trace")), root, (step) => {
    if (step === model.get("step")) return;
    model.set("step", step);
    model.save_changes();
  });
  const follow = () => go(model.get("step"));
  follow();
  model.on("change:step", follow);
  return () => {
    model.off("change:step", follow);
    sized.disconnect();
    themed.disconnect();
  };
};

export default { render };
