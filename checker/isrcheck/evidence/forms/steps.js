/**
 * Walks through the steps of a trace with the elements of steps.html, which stand below `root`.
 * `moved` hears where one goes. Returns the function that goes to a step.
 */
const walkThrough = (trace, root, moved) => {
  const at = (id) => root.getElementById(id);
  const count = trace.steps.length - 1; // steps, those that can follow included; 0 is the initial state
  const text = (number) => trace.texts[number];
  const visited = [];
  let here = -1;

  const showVariables = variableTable(trace.variables, root);

  const showInList = () => {
    const list = at("steps");
    const old = list.querySelector("[aria-current]");
    if (old) old.removeAttribute("aria-current");
    const item = list.children[here];
    item.firstChild.setAttribute("aria-current", "step");
    const seen = list.scrollTop;
    if (item.offsetTop < seen || item.offsetTop + item.offsetHeight > seen + list.clientHeight) {
      list.scrollTop = item.offsetTop - list.clientHeight / 2; // the page around it stays where it is
    }
  };

  /** A button that has the focus and can do no more gives it to the slider, so that keys are still heard. */
  const allow = (names, can) => names.forEach((name) => {
    const loses = !can && root.activeElement === at(name);
    at(name).disabled = !can;
    if (loses) at("slider").focus();
  });

  const show = () => {
    const step = trace.steps[here];
    showInList();
    drawOn(at("stage"), drawing(step.picture, text));
    at("where").textContent = here > trace.at ? `can follow: ${step.title}` : position(here, trace.at, step.title);
    at("sentence").textContent = text(step.sentence);
    at("losses").textContent = step.losses.map(text).join(" ");
    at("slider").value = here;
    allow(["back", "first"], here > 0);
    allow(["next", "last"], here < count);
    allow(["undo"], visited.length > 0);
    showVariables(step.values.map(text), here ? trace.steps[here - 1].values.map(text) : null);
  };

  const go = (step, remember = true) => {
    const wanted = Math.min(Math.max(step, 0), count);
    if (wanted === here) return;
    if (remember && here >= 0) visited.push(here);
    here = wanted;
    moved(here);
    show();
  };

  const undo = () => {
    if (visited.length) go(visited.pop(), false);
    allow(["undo"], visited.length > 0);
  };

  const keys = {
    ArrowRight: () => go(here + 1),
    ArrowLeft: () => go(here - 1),
    Home: () => go(0),
    End: () => go(count),
    u: undo,
  };

  at("steps").append(...trace.steps.map((step, place) => {
    const item = document.createElement("li");
    const button = stepButton(place, step.title, trace.at, trace.sign);
    button.addEventListener("click", () => go(place));
    item.append(button);
    return item;
  }));
  at("slider").max = count;
  at("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  at("first").addEventListener("click", keys.Home);
  at("last").addEventListener("click", keys.End);
  at("back").addEventListener("click", keys.ArrowLeft);
  at("next").addEventListener("click", keys.ArrowRight);
  at("undo").addEventListener("click", undo);
  listen(keys, root);
  return go;
};
