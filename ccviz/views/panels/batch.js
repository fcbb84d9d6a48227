// A batch of runs: a sheet over the page with solvers to tick, seeds, numbers of clusters, progress.
function solver({name, title, why, ticked}) {
  return html`<label class="${why ? "cannot" : ""}" title="${why}"><input type="checkbox" name="solver"
    value="${name}" ${ticked ? "checked" : ""}>${title}${why ? ` (${why})` : ""}</label>`
}

function numbers({k, seeds, first, seconds}) {
  return html`<label>k from <input name="low" type="number" min="1" value="${k}"></label>
    <label>to <input name="high" type="number" min="1" value="${k}"></label>
    <label>seeds <input name="seeds" type="number" min="1" max="100" value="${seeds}"></label>
    <label>from <input name="first" type="number" min="0" value="${first}"></label>
    <label>seconds a run <input name="seconds" type="number" min="0" step="any" value="${seconds}"></label>`
}

function outcomes(columns, rows) {
  return html`${rows.length ? html`<table aria-label="What came of the runs">
    <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
    </tbody></table>` : ""}`
}

export function render({model}) {
  const dialog = sheetOver(model, "close")
  dialog.setAttribute("aria-label", "Run several solvers")
  dialog.innerHTML = `<h1>Run several solvers</h1>
    <p>Each solver that is ticked, with each seed, for each number of clusters.</p>
    <form id="batch"><div class="solvers"></div><div class="numbers"></div></form>
    <progress aria-label="Runs that have ended" max="1" value="0"></progress><p role="status"></p>
    <div class="outcomes"></div>
    <footer><button form="batch" class="primary">Run them</button>
    <button type="button" data-what="stop">Stop</button>
    <button type="button" data-what="close">Close</button></footer>`
  const [form, solvers, range, bar, status, table, stop] =
    ["form", ".solvers", ".numbers", "progress", "[role=status]", ".outcomes", "[data-what=stop]"]
      .map((name) => dialog.querySelector(name))
  const fill = () => {
    if (!model.form.groups) return
    solvers.innerHTML = html`${model.form.groups.map(({title, solvers}) => html`<fieldset>
      <legend>${title}</legend>${solvers.map(solver)}</fieldset>`)}`.text
    range.innerHTML = numbers(model.form).text
  }
  const tell = () => {
    const {done, total, busy, words, rows} = model.state
    bar.max = Math.max(1, total)
    bar.value = done
    bar.hidden = !total
    status.textContent = words
    table.innerHTML = outcomes(model.columns, rows).text
    stop.disabled = !busy
  }
  const show = () => {
    if (model.shown && !dialog.open) dialog.showModal()
    else if (!model.shown && dialog.open) dialog.close()
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const given = new FormData(form)
    const [low, high, seeds, first, seconds] = ["low", "high", "seeds", "first", "seconds"]
      .map((name) => Number(given.get(name)))
    model.send_msg({what: "start", solvers: given.getAll("solver"), low, high, seeds, first, seconds})
  })
  dialog.addEventListener("click", ({target}) => {
    if (target.dataset.what) model.send_msg({what: target.dataset.what})
  })
  model.on("form", fill)
  model.on("state", tell)
  model.on("shown", show)
  model.on("after_layout", show)
  fill()
  tell()
  return dialog
}
