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

const FORM = html`<div class="head"><h3>Rules</h3><button type="button" class="toggle"></button></div>
  <ul aria-label="Rules"></ul>
  <form hidden novalidate>
    <p class="join" role="status"></p>
    <select name="kind" aria-label="Kind of rule"></select>
    <select name="run" aria-label="Run that the rule names"></select>
    <select name="column" aria-label="Column that the rule names"></select>
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
  const fill = (field, items) => { field.innerHTML = html`${options(items)}`.text }
  const drawRows = () => { list.innerHTML = html`${model.rows.map(row)}`.text }
  const drawRuns = () => {
    const before = run.value
    fill(run, model.runs.map(({id, label}) => [id, label]))
    if (model.runs.some(({id}) => id === before)) run.value = before
    drawKind()
  }
  const drawColumns = () => {
    const before = column.value, named = model.columns[chosen().names] ?? []
    fill(column, named.map((name) => [name, name]))
    if (named.includes(before)) column.value = before
    column.hidden = !named.length
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
    const {unit, help, names, without} = chosen(), ofRun = names === "run"
    run.hidden = !ofRun || !model.runs.length
    drawColumns()
    limit.placeholder = unit
    const lacking = ofRun ? !model.runs.length : without && !model.columns[names]?.length
    box.querySelector(".help").textContent = lacking ? without : help
  }
  const drawShown = () => {
    form.hidden = !model.shown
    toggle.textContent = model.shown ? "Close" : "Add a rule"
    toggle.setAttribute("aria-expanded", String(model.shown))
  }
  const drawRefused = () => { box.querySelector("[role=alert]").textContent = model.refused }
  fill(kind, model.kinds.map(({label}, place) => [place, label]))
  kind.addEventListener("change", drawKind)
  toggle.addEventListener("click", () => model.send_msg({what: "toggle"}))
  list.addEventListener("click", (event) => {
    const {place, join} = event.target.closest("button")?.dataset ?? {}
    if (place) model.send_msg({what: "drop", place: Number(place)})
    if (join) model.send_msg({what: "join", place: Number(join)})
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const {names} = chosen()
    model.send_msg({
      what: "add", kind: Number(kind.value), limit: limit.value,
      named: names === "run" ? run.value : names ? column.value : "",
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
  drawRuns()
  drawJoined()
  drawShown()
  drawRefused()
  return box
}
