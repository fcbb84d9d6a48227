// Rules in force, and a form that adds one; what is refused is said beside the field.
function row(rule, place) {
  return html`<li class="${rule.holds ? "" : "broken"}"><span>${rule.words}</span>
    <small>${rule.verdict}</small>
    ${rule.joins ? html`<button type="button" data-join="${place}"
      title="Join another rule: every cluster keeps this one or that one"
      aria-label="Join another rule by or: ${rule.words}">or…</button>` : ""}
    <button type="button" data-place="${place}" title="Take this rule away"
      aria-label="Take away: ${rule.words}">✕</button></li>`
}

const FORM = html`<div class="head"><h2>Rules</h2><button type="button" class="toggle"></button></div>
  <ul aria-label="Rules"></ul>
  <form hidden novalidate>
    <p class="join" role="status"></p>
    <select name="kind" aria-label="Kind of rule"></select>
    <select name="run" aria-label="Run that the rule names"></select>
    <select name="column" aria-label="Column that the rule adds up"></select>
    <input name="limit" inputmode="decimal" autocomplete="off" aria-label="Limit of the rule">
    <button>Add</button>
    <p role="alert"></p><p class="help"></p>
  </form>`

export function render({model}) {
  const box = document.createElement("div")
  box.innerHTML = FORM.text
  const [list, form, toggle] = ["ul", "form", ".toggle"].map((each) => box.querySelector(each))
  const {kind, run, column, limit} = form.elements
  const chosen = () => model.kinds[Number(kind.value)]
  const options = (items) => html`${items.map(([value, label]) =>
    html`<option value="${value}">${label}</option>`)}`.text
  const drawRows = () => { list.innerHTML = html`${model.rows.map(row)}`.text }
  const drawRuns = () => {
    const before = run.value
    run.innerHTML = options(model.runs.map(({id, label}) => [id, label]))
    if (model.runs.some(({id}) => id === before)) run.value = before
    drawKind()
  }
  const drawColumns = () => {
    const before = column.value
    column.innerHTML = options(model.columns.map((name) => [name, name]))
    if (model.columns.includes(before)) column.value = before
  }
  const drawJoined = () => {
    const rule = model.rows[model.joined]
    box.querySelector(".join").textContent = rule
      ? `Every cluster keeps “${rule.words}”, or:` : ""
    for (const [place, option] of [...kind.options].entries())
      option.disabled = option.hidden = Boolean(rule) && !model.kinds[place].joins
    if (kind.selectedOptions[0]?.disabled) kind.value = 0
    drawKind()
  }
  const drawKind = () => {
    const {unit, help, names_run: named, names_column: summed} = chosen()
    run.hidden = !named || !model.runs.length
    column.hidden = !summed
    limit.placeholder = unit
    box.querySelector(".help").textContent =
      named && !model.runs.length ? "There is no run on these points yet: make one first." : help
  }
  const drawShown = () => {
    form.hidden = !model.shown
    toggle.textContent = model.shown ? "Close" : "Add a rule"
    toggle.setAttribute("aria-expanded", String(model.shown))
  }
  const drawRefused = () => { box.querySelector("[role=alert]").textContent = model.refused }
  kind.innerHTML = options(model.kinds.map(({label}, place) => [place, label]))
  kind.addEventListener("change", drawKind)
  toggle.addEventListener("click", () => model.send_msg({what: "toggle"}))
  list.addEventListener("click", (event) => {
    const {place, join} = event.target.closest("button")?.dataset ?? {}
    if (place) model.send_msg({what: "drop", place: Number(place)})
    if (join) model.send_msg({what: "join", place: Number(join)})
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const {names_run: named, names_column: summed} = chosen()
    model.send_msg({
      what: "add", kind: Number(kind.value), limit: limit.value,
      named: named ? run.value : summed ? column.value : "",
    })
  })
  // A rule that was taken leaves the field for the next one.
  let words = model.rows.map((rule) => rule.words)
  model.on("rows", () => {
    const now = model.rows.map((rule) => rule.words)
    if (now.some((each) => !words.includes(each))) limit.value = ""
    words = now
    drawRows()
  })
  model.on("runs", drawRuns)
  model.on("columns", drawColumns)
  model.on("shown", drawShown)
  model.on("joined", () => {
    drawJoined()
    if (model.joined >= 0) limit.focus()
  })
  model.on("refused", drawRefused)
  drawRows()
  drawColumns()
  drawRuns()
  drawJoined()
  drawShown()
  drawRefused()
  return box
}
