"use strict";
const trace = JSON.parse(document.getElementById("trace").textContent);
const at = (id) => document.getElementById(id);
const count = trace.steps.length;
const hidden = new Set();
const visited = [];
let here = 0;

const made = (name, text) => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

const asked = () => {
  const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
  return found ? Math.min(Math.max(Number(found[1]), 1), count) : 1;
};

const hide = (name) => {
  hidden.add(name);
  showState();
};

const showState = () => {
  const rows = trace.variables.filter((name) => !hidden.has(name)).map((name) => {
    const place = trace.variables.indexOf(name);
    const value = trace.steps[here - 1].values[place];
    const before = here > 1 ? trace.steps[here - 2].values[place] : value;
    const row = document.createElement("tr");
    row.className = value === before ? "" : "new";
    const button = made("button", "hide");
    button.setAttribute("aria-label", `hide ${name}`);
    button.addEventListener("click", () => hide(name));
    const last = document.createElement("td");
    last.append(button);
    row.append(made("th", name), made("td", value === before ? value : `${before} → ${value}`), last);
    return row;
  });
  at("state").replaceChildren(...rows);
  at("show").hidden = hidden.size === 0;
};

const show = () => {
  const step = trace.steps[here - 1];
  const old = at("steps").querySelector("[aria-current]");
  if (old) old.removeAttribute("aria-current");
  const button = at("steps").children[here - 1].firstChild;
  button.setAttribute("aria-current", "step");
  button.scrollIntoView({ block: "nearest" });
  at("stage").innerHTML = step.picture;
  at("where").textContent = `${here} of ${count}: ${step.title}`;
  at("sentence").textContent = step.sentence;
  at("losses").textContent = step.losses.join(" ");
  at("slider").value = here;
  at("back").disabled = at("first").disabled = here === 1;
  at("next").disabled = at("last").disabled = here === count;
  at("undo").disabled = visited.length === 0;
  showState();
};

const go = (step, remember = true) => {
  const wanted = Math.min(Math.max(step, 1), count);
  if (wanted === here) return;
  if (remember && here) visited.push(here);
  here = wanted;
  history.replaceState(null, "", `#step=${here}`);
  show();
};

const undo = () => {
  if (visited.length) go(visited.pop(), false);
  at("undo").disabled = visited.length === 0;
};

const keys = {
  ArrowRight: () => go(here + 1),
  ArrowLeft: () => go(here - 1),
  Home: () => go(1),
  End: () => go(count),
  u: undo,
};

at("steps").append(...trace.steps.map((step, place) => {
  const item = document.createElement("li");
  const button = made("button", `${place + 1}  ${step.title}`);
  button.addEventListener("click", () => go(place + 1));
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
at("show").addEventListener("click", () => {
  hidden.clear();
  showState();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
addEventListener("hashchange", () => go(asked()));
go(asked());
