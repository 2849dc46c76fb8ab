const trace = JSON.parse(document.getElementById("trace").textContent);

const asked = () => {
  const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) : trace.at;
};

const go = walkThrough(trace, document, (step) => history.replaceState(null, "", `#step=${step}`));
addEventListener("hashchange", () => go(asked()));
go(asked());
