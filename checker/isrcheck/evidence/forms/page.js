const trace = JSON.parse(document.getElementById("trace").textContent);
const count = trace.steps.length - 1; // steps, those that can follow included; 0 is the initial state
const text = (number) => trace.texts[number];
const visited = [];
let here = -1;

const asked = () => {
  const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
  return found ? Math.min(Number(found[1]), count) : trace.at;
};

const showVariables = variableTable(trace.variables);

const show = () => {
  const step = trace.steps[here];
  const old = at("steps").querySelector("[aria-current]");
  if (old) old.removeAttribute("aria-current");
  const button = at("steps").children[here].firstChild;
  button.setAttribute("aria-current", "step");
  button.scrollIntoView({ block: "nearest" });
  at("stage").innerHTML = drawing(step.picture, text);
  at("where").textContent = here > trace.at ? `can follow: ${step.title}` : position(here, trace.at, step.title);
  at("sentence").textContent = text(step.sentence);
  at("losses").textContent = step.losses.map(text).join(" ");
  at("slider").value = here;
  at("back").disabled = at("first").disabled = here === 0;
  at("next").disabled = at("last").disabled = here === count;
  at("undo").disabled = visited.length === 0;
  showVariables(step.values.map(text), here ? trace.steps[here - 1].values.map(text) : null);
};

const go = (step, remember = true) => {
  const wanted = Math.min(Math.max(step, 0), count);
  if (wanted === here) return;
  if (remember && here >= 0) visited.push(here);
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
listen(keys);
addEventListener("hashchange", () => go(asked()));
go(asked());
