// A batch of runs: a sheet over the page with solvers and sets of links to tick, seeds, numbers of clusters, progress.
function solver({name, title, why, ticked}) {
  return html`<label class="${why ? "cannot" : ""}" title="${why}"><input type="checkbox" name="solver"
    value="${name}" ${ticked ? "checked" : ""}>${title}${why ? ` (${why})` : ""}</label>`
}

function set({name, ticked}) {
  return html`<label><input type="checkbox" name="links" value="${name}" ${ticked ? "checked" : ""}>${name}</label>`
}

function numbers({k, seeds, first, seconds}) {
  return html`<label>k from <input name="low" type="number" min="1" value="${k}"></label>
    <label>to <input name="high" type="number" min="1" value="${k}"></label>
    <label>seeds <input name="seeds" type="number" min="1" max="100" value="${seeds}"></label>
    <label>from <input name="first" type="number" min="0" value="${first}"></label>
    <label>seconds a run <input name="seconds" type="number" min="0" step="any" value="${seconds}"></label>`
}

export function render({model}) {
  const {dialog, show, parts} = sheetOver(model, "Run several solvers", `<h1>Run several solvers</h1>
    <p>Each solver that is ticked, with each seed, for each number of clusters and each set of links.</p>
    <form id="batch"><div class="solvers"></div><div class="numbers"></div></form>
    <progress aria-label="Runs that have ended" max="1" value="0"></progress><p role="status"></p>
    <div class="outcomes"></div>
    <footer><button form="batch" class="primary">Run them</button>
    <button type="button" data-what="stop">Stop</button>
    <button type="button" data-what="close">Close</button></footer>`)
  const [form, solvers, range, bar, status, outcomes, stop] =
    parts("form", ".solvers", ".numbers", "progress", "[role=status]", ".outcomes", "[data-what=stop]")
  const fill = () => {
    if (!model.form.groups) return
    solvers.innerHTML = html`${model.form.groups.map(({title, solvers}) => html`<fieldset>
      <legend>${title}</legend>${solvers.map(solver)}</fieldset>`)}
      ${model.form.links.length > 1 ? html`<fieldset><legend>Links, now and before each edit</legend>
        ${model.form.links.map(set)}</fieldset>` : ""}`.text
    range.innerHTML = numbers(model.form).text
  }
  const tell = () => {
    const {done, total, busy, words, rows} = model.state
    bar.max = Math.max(1, total)
    bar.value = done
    bar.hidden = !total
    status.textContent = words
    outcomes.innerHTML = html`${table("What came of the runs", model.columns, rows)}`.text
    stop.disabled = !busy
  }
  const follow = () => show(model.shown)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const numbers = numbersOf(form, "low", "high", "seeds", "first", "seconds")
    const [solvers, links] = ["solver", "links"].map((name) => new FormData(form).getAll(name))
    model.send_msg({what: "start", solvers, links, ...numbers})
  })
  model.on("form", fill)
  model.on("state", tell)
  model.on("shown", follow)
  model.on("after_layout", follow)
  fill()
  tell()
  return dialog
}
