const trace = JSON.parse(document.getElementById("trace").textContent);
const count = trace.steps.length;
const text = (number) => trace.texts[number];
const visited = [];
let here = 0;

const asked = () => {
  const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
  return found ? Math.min(Math.max(Number(found[1]), 1), count) : 1;
};

const showVariables = variableTable(trace.variables);

const show = () => {
  const step = trace.steps[here - 1];
  const old = at("steps").querySelector("[aria-current]");
  if (old) old.removeAttribute("aria-current");
  const button = at("steps").children[here - 1].firstChild;
  button.setAttribute("aria-current", "step");
  button.scrollIntoView({ block: "nearest" });
  at("stage").innerHTML = drawing(step.picture, text);
  at("where").textContent = `${here} of ${count}: ${step.title}`;
  at("sentence").textContent = text(step.sentence);
  at("losses").textContent = step.losses.map(text).join(" ");
  at("slider").value = here;
  at("back").disabled = at("first").disabled = here === 1;
  at("next").disabled = at("last").disabled = here === count;
  at("undo").disabled = visited.length === 0;
  showVariables(step.values.map(text), here > 1 ? trace.steps[here - 2].values.map(text) : null);
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
listen(keys);
addEventListener("hashchange", () => go(asked()));
go(asked());
