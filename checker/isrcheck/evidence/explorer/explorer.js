const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

/** The states in the file: a function gives a view of the last state of a path of instances, or throws an Error for the reader. */
const viewer = (data) => {
  const text = (number) => data.texts[number];
  const instanceOf = (move) => move[0];
  const story = (move) => (move.length > 2 ? text(move[5]) : "");
  const follow = (path) => {
    let [state, before, arrival] = [0, null, data.arrival];
    const stories = [];
    for (const instance of path) {
      const move = data.states[state].moves.find((one) => instanceOf(one) === instance);
      if (!move || move[1] < 0) throw new Error("The path leads out of what is in this file.");
      [before, state, arrival] = [state, move[1], move.slice(2)];
      stories.push(story(move));
    }
    return { state, before, arrival, stories };
  };
  // Whether a path is the way by which its state was found, for which the losses were computed.
  const isTold = (path, state) => {
    let here = state;
    for (let step = path.length - 1; step >= 0; step -= 1) {
      const way = data.states[here].way;
      if (!way || way[1] !== path[step]) return false;
      [here] = way;
    }
    return here === 0;
  };
  const view = (path) => {
    const { state, before, arrival: [picture, losses, standing], stories } = follow(path);
    const { values, moves, why } = data.states[state];
    return {
      values: values.map(text),
      before: before === null ? null : data.states[before].values.map(text),
      moves: moves.map((move) => [instanceOf(move), move[1] >= 0, story(move)]),
      why: why.map(([reason, ...instances]) => [data.reasons[reason], instances]),
      picture: drawing(picture, text),
      losses: losses.map(text),
      standing: standing.map(text),
      story: stories.at(-1) || "",
      exact: path.length === 0 || isTold(path.slice(0, -1), before),
    };
  };
  return { view, stories: (path) => follow(path).stories };
};

// Addresses: #model=NAME&CONSTANT=VALUE&path=action(arguments)/action(arguments)

const calls = (data) => data.instances.map(([action, , written]) => `${data.actions[action].name}(${written})`);

const escaped = (text) => encodeURIComponent(text).replaceAll("%2C", ",");

const addressOf = (data, path) => {
  const named = calls(data);
  const parts = [["model", data.model], ...Object.entries(data.constants)];
  const words = parts.map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return `#${[...words, `path=${path.map((instance) => escaped(named[instance])).join("/")}`].join("&")}`;
};

/** The path in an address, null if it names none; throws an Error with a sentence if it is of something else. */
const pathIn = (data, fragment) => {
  const words = fragment.replace(/^#/, "").split("&").filter(Boolean).map((word) => word.split("="));
  const read = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const given = new Map(words.map(([name, ...value]) => [read(name), value.join("=")]));
  const wanted = { model: data.model, ...data.constants };
  for (const [name, value] of given) {
    if (name === "path") continue;
    if (!Object.hasOwn(wanted, name)) throw new Error(`The link names ${name}, which this model does not have.`);
    if (read(value) !== wanted[name]) {
      throw new Error(`The link is for ${name}=${read(value)}, and this page for ${name}=${wanted[name]}.`);
    }
  }
  const positions = new Map(calls(data).map((call, position) => [call, position]));
  if (!given.has("path")) return null;
  return given.get("path").split("/").filter(Boolean).map((word) => {
    const call = read(word);
    if (!positions.has(call)) throw new Error(`The link takes ${call}, which is not a step of this model.`);
    return positions.get(call);
  });
};

// What is shown

const isInside = ([, inside]) => inside;

/** Draws views. `act` has what the buttons do: jump(step) and take(instance). */
const painter = (data, act) => {
  const showVariables = variableTable(data.variables);

  const title = (instance) => {
    const [action, named] = data.instances[instance];
    const name = data.actions[action].name.replaceAll("_", " ");
    return named ? `${name} (${named})` : name;
  };

  // The steps of a trace's cycle are bracketed, and the first of them says how many there are.
  const bracketed = (step, taken) => {
    if (!data.forever || step > data.trace.length || step < data.loop) return taken;
    if (step === data.loop) return data.loop === data.trace.length ? `${taken}: ${data.forever}` : taken;
    const sign = step === data.loop + 1 ? "┌ " : step === data.trace.length ? "└ " : "│ ";
    return `${sign}${taken}${step === data.loop + 1 ? `: ${data.forever}` : ""}`;
  };

  // The list is changed only from the first step that differs, so that a path of thousands stays quick.
  let listed = null;
  const listPath = (path, here, stories) => {
    const list = at("steps");
    let same = 0;
    while (listed && same < path.length && listed[same] === path[same]) same += 1;
    while (list.children.length > (listed ? same + 1 : 0)) list.lastChild.remove();
    let shared = 0;
    while (shared < path.length && path[shared] === data.begin[shared]) shared += 1;
    for (let step = list.children.length; step <= path.length; step += 1) {
      const item = document.createElement("li");
      const last = data.trace && step <= shared ? data.trace.length : Infinity;
      const taken = step ? stories[step - 1] || title(path[step - 1]) : "initial state";
      const button = stepButton(step, step <= shared ? bracketed(step, taken) : taken, last, data.sign);
      button.addEventListener("click", () => act.jump(step));
      item.append(button);
      list.append(item);
    }
    listed = path;
    const old = list.querySelector("[aria-current]");
    if (old) old.removeAttribute("aria-current");
    const button = list.children[here].firstChild;
    button.setAttribute("aria-current", "step");
    list.scrollTop = Math.max(0, button.offsetTop - list.offsetTop - list.clientHeight / 2);
  };

  const move = ([instance, inside, story], place, following) => {
    const item = document.createElement("div");
    const button = made("button", "", "move");
    if (place < 9) button.append(made("kbd", String(place + 1)));
    button.append(made("span", story || title(instance)));
    if (story) button.title = title(instance);
    button.disabled = !inside;
    if (!inside) button.title = "not in this file: use a larger --max-states";
    if (instance === following) button.append(made("em", "the path goes on here"));
    button.addEventListener("click", () => act.take(instance));
    item.append(button);
    return item;
  };

  const byAction = (items, instanceOf) => {
    const groups = new Map();
    for (const item of items) {
      const action = data.instances[instanceOf(item)][0];
      groups.set(action, [...(groups.get(action) || []), item]);
    }
    return [...groups].sort(([one], [other]) => one - other);
  };

  const showMoves = (view, following) => {
    const places = new Map(view.moves.filter(isInside).map((one, place) => [one, place]));
    const groups = byAction(view.moves, ([instance]) => instance).map(([action, moves]) => {
      const group = document.createElement("div");
      group.className = "group";
      group.append(...moves.map((one) => move(one, places.get(one), following)));
      const sentence = data.actions[action].sentence;
      if (sentence) group.append(made("p", sentence, "quiet"));
      return group;
    });
    const held = at("moves").contains(document.activeElement);
    at("moves").replaceChildren(...(groups.length ? groups : [made("p", "Nothing: no step is possible here.")]));
    const first = at("moves").querySelector("button:enabled");
    if (held && first) first.focus();
    at("outside").hidden = view.moves.every(isInside);
  };

  const reasonItem = ([reason, instances]) => {
    const item = document.createElement("li");
    const named = instances.map((instance) => data.instances[instance][1]).filter(Boolean);
    if (reason.error) item.className = "error";
    item.append(reason.place || reason.error ? made(reason.error ? "span" : "code", reason.text) : reason.text);
    if (reason.part) item.append(" — false is ", made("code", reason.part));
    if (reason.values) item.append(": ", made("code", reason.values));
    if (reason.place) item.append(" ", made("span", reason.place, "place"));
    if (named.length) item.append(made("p", `for ${named.join("; ")}`, "quiet"));
    return item;
  };

  const showReasons = (view) => {
    const parts = view.why.flatMap(([reason, instances]) =>
      byAction(instances, (instance) => instance).map(([action, own]) => [action, reason, own]));
    const groups = new Map();
    for (const [action, reason, own] of parts) groups.set(action, [...(groups.get(action) || []), [reason, own]]);
    const shown = [...groups].sort(([one], [other]) => one - other).map(([action, reasons]) => {
      const group = document.createElement("div");
      const list = document.createElement("ul");
      list.append(...reasons.map(reasonItem));
      group.append(made("h3", data.actions[action].name.replaceAll("_", " ")), list);
      return group;
    });
    const count = view.why.reduce((sum, [, instances]) => sum + instances.length, 0);
    at("refused").hidden = count === 0;
    at("refused").firstElementChild.textContent = `Why not the other ${count}?`;
    at("why").replaceChildren(...shown);
    if (view.why.some(([reason]) => reason.error)) at("refused").open = true;
  };

  const marks = { holds: "✓", violated: "✗", met: "✓", "not met": "·", "": "·" };
  const showProperties = (view) => {
    at("properties").replaceChildren(...data.properties.map((property, place) => {
      const stands = view.standing[place];
      const item = document.createElement("li");
      const isError = !Object.hasOwn(marks, stands);
      if (isError || stands === "violated") item.className = "broken";
      const said = stands || "about steps; none was taken";
      item.append(made("b", `${isError ? "✗" : marks[stands]} ${property.name}`), ` ${isError ? "" : said}`);
      item.append(made("p", isError ? stands : property.sentence, isError || stands === "violated" ? "" : "quiet"));
      item.title = property.place;
      return item;
    }));
  };

  const show = (view, path, here, stories) => {
    const instance = here ? path[here - 1] : null;
    listPath(path, here, stories);
    drawOn(at("stage"), view.picture);
    const taken = here ? title(instance) : "initial state";
    const ending = path === data.begin && data.trace ? data.trace.length : path.length;
    at("where").textContent = here > ending ? `can follow: ${taken}` : position(here, ending, taken);
    at("sentence").textContent = here ? view.story || data.actions[data.instances[instance][0]].sentence : "";
    const broken = data.properties.filter((_, place) => view.standing[place] === "violated");
    const told = broken.map((property) => `${property.name} is violated. Property: ${property.sentence}`);
    at("losses").replaceChildren(...[...told, ...view.losses].map((sentence) => made("p", sentence)));
    at("inexact").hidden = view.exact || view.losses.length === 0;
    at("slider").max = path.length;
    at("slider").value = here;
    at("back").disabled = at("first").disabled = here === 0;
    at("next").disabled = at("last").disabled = here === path.length;
    showVariables(view.values, view.before);
    showMoves(view, path[here]);
    showReasons(view);
    showProperties(view);
  };
  return { show };
};

// The walk

const say = (sentence) => {
  at("notice").textContent = sentence;
  at("notice").hidden = !sentence;
};

/** Walks: `path` is what was walked, with `here` steps of it taken; arrays are never changed, so undo can keep them. */
const walk = (data, look) => {
  const { begin } = data;
  const visited = [];
  let [path, here, view, written] = [begin, 0, null, 0];

  const address = () => addressOf(data, path.slice(0, here));

  // Browsers refuse an address that changes too often, as it does while a key is held down.
  const writeAddress = () => {
    clearTimeout(written);
    written = setTimeout(() => history.replaceState(null, "", address()), 100);
  };

  const go = (to, step, remember = true) => {
    const next = look.view(to.slice(0, step));
    if (remember && view) visited.push([path, here]);
    [path, here, view] = [to, step, next];
    say("");
    pictures.show(view, path, here, look.stories(path));
    at("undo").disabled = visited.length === 0;
    writeAddress();
  };

  const act = {
    jump: (step) => {
      const wanted = Math.min(Math.max(step, 0), path.length);
      return wanted === here ? null : go(path, wanted);
    },
    take: (instance) => (path[here] === instance ? go(path, here + 1) : go([...path.slice(0, here), instance], here + 1)),
    takeNth: (place) => {
      const move = view.moves.filter(isInside)[place];
      if (move) act.take(move[0]);
    },
    undo: () => (visited.length ? go(...visited.pop(), false) : null),
    restart: () => go(begin, 0),
    copy: async () => {
      const link = `${location.href.split("#")[0]}${address()}`;
      try {
        await navigator.clipboard.writeText(link);
        say("The link is copied.");
      } catch {
        say(link);
      }
    },
  };
  const pictures = painter(data, act);

  const open = (fragment) => {
    try {
      const wanted = pathIn(data, fragment) || data.trace || [];
      const onTrace = wanted.every((instance, step) => begin[step] === instance);
      go(onTrace ? begin : wanted, wanted.length);
    } catch (error) {
      if (!view) go(begin, 0);
      say(error.message.startsWith("The link") ? error.message : `The link does not lead anywhere: ${error.message}`);
    }
  };
  return { act, open, ends: () => [path, here], isHere: (fragment) => fragment === address() };
};

const help = () => {
  at("keys").hidden = !at("keys").hidden;
  at("help").setAttribute("aria-expanded", String(!at("keys").hidden));
};

const start = async () => {
  const data = await unpacked(at("data").textContent);
  data.begin = [...(data.trace || []), ...data.follows]; // what a trace shows, and what can follow
  const { act, open, ends, isHere } = walk(data, viewer(data));
  const keys = {
    ArrowRight: () => act.jump(ends()[1] + 1),
    ArrowLeft: () => act.jump(ends()[1] - 1),
    Home: () => act.jump(0),
    End: () => act.jump(ends()[0].length),
    u: act.undo,
    r: act.restart,
    "?": help,
  };
  for (let place = 0; place < 9; place += 1) keys[place + 1] = () => act.takeNth(place);
  const buttons = { first: keys.Home, last: keys.End, back: keys.ArrowLeft, next: keys.ArrowRight };
  Object.assign(buttons, { undo: act.undo, restart: act.restart, copy: act.copy, help });
  for (const [id, press] of Object.entries(buttons)) at(id).addEventListener("click", press);
  at("slider").addEventListener("input", (event) => act.jump(Number(event.target.value)));
  listen(keys);
  addEventListener("hashchange", () => (isHere(location.hash) ? null : open(location.hash)));
  open(location.hash);
};

start().catch((error) => say(`This page cannot be shown; it needs a browser of 2023 or later. ${error.message}`));
