"use strict";
// What the page of a trace and the explorer share.
const at = (id) => document.getElementById(id);

const made = (name, text, className = "") => {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

/** Where in a path one is: how many steps of it are taken, and which was the last. */
const position = (taken, all, title) => `${all ? `${taken} of ${all}` : 0} ${all === 1 ? "step" : "steps"}: ${title}`;

/** A step in the list: the one that a trace is about has its sign, and those behind it can follow. */
const stepButton = (step, title, last, sign) => {
  const button = made("button", `${step}  ${step === last ? `${sign} ` : ""}${title}`);
  if (step === last) button.className = sign === "✗" ? "violated" : "reached";
  if (step > last) button.className = "follows";
  if (step > last) button.title = "can follow; no part of the trace";
  return button;
};

/** A drawing from the numbers of its elements. */
const drawing = (numbers, text) => `<${numbers.map(text).join("<")}`;

/** Draws the state; where there is no room for all lanes, one that matters is scrolled into sight. */
const drawOn = (stage, picture) => {
  stage.innerHTML = picture;
  const news = stage.querySelector(".lost, .news");
  const offset = (element) => element.getBoundingClientRect().left;
  if (news) stage.scrollLeft += offset(news) - offset(stage) - 24;
};

/** The table of variables below `root`: what changed is marked, and each can be hidden. `names` are those of `values`. */
const variableTable = (names, root = document) => {
  const at = (id) => root.getElementById(id);
  const hidden = new Set();
  let shown = [[], []];
  const row = (name, place) => {
    const [values, before] = shown;
    const value = values[place];
    const old = before ? before[place] : value;
    const line = document.createElement("tr");
    line.className = value === old ? "" : "new";
    const button = made("button", "hide");
    button.setAttribute("aria-label", `hide ${name}`);
    button.addEventListener("click", () => {
      hidden.add(name);
      draw();
      at("show").focus();
    });
    const last = document.createElement("td");
    last.append(button);
    const title = made("th", name);
    title.scope = "row";
    line.append(title, made("td", value === old ? value : `${old} → ${value}`), last);
    return line;
  };
  const draw = () => {
    at("state").replaceChildren(...names.map(row).filter((_, place) => !hidden.has(names[place])));
    at("show").hidden = hidden.size === 0;
  };
  at("show").addEventListener("click", () => {
    hidden.clear();
    draw();
  });
  return (values, before) => {
    shown = [values, before];
    draw();
  };
};

/** Calls the function of a key wherever below `root` it is pressed, which nobody else hears then. */
const listen = (keys, root = document) => root.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  keys[event.key]();
});
