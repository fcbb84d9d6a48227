// The sheet over the page: each column of a table with what it is taken as, and one button to load.
const FIELDS = ["missing", "scaling", "header", "worksheet", "unknown", "skip_rows", "skip_last"]

// A word among numbers: a click says that it means a missing value, everywhere in the file.
const asMissing = (word, words) => html`<button data-word="${word}" title="It means: missing">${words}</button>`

const line = (bad) => ({name, role, roles, holds, why, cells}) => {
  return html`<tr class="${role}"><th scope="row">${name}</th>
    <td><select data-column="${name}" aria-label="${name} is">${options(roles, role)}</select></td>
    <td class="holds">${holds}${why ? html`<br><i>${why}</i>` : ""}</td>
    ${cells.map((cell) => html`<td class="cell">${bad.includes(cell) ? asMissing(cell, cell) : cell}</td>`)}</tr>`
}

// Which worksheet is read, and where the names of its columns are; nothing where the format says it.
function place({worksheets, worksheet, header, unit, skipped: [below, last]}) {
  const many = (field, value, words) => html`<label>${words}
    <input type="number" min="0" data-field="${field}" value="${value}"></label>`
  return html`<div class="choices">
    ${worksheets.length > 1 ? html`<label>Worksheet<select data-field="worksheet">
      ${options(worksheets.map((name) => [name, name]), worksheet)}</select></label>` : ""}
    ${header === null ? "" : html`<label title="0 if no ${unit} names the columns">Columns are named in ${unit}
      <input type="number" min="0" data-field="header" value="${header}"></label>`}
    ${many("skip_rows", below, `${unit}s left out below it`)}
    ${many("skip_last", last, "at the end")}</div>`
}

function body(sheet) {
  const {title, lines, remarks, bad, preview, gaps, missing, unknown, scaling, scalings, apart, rows} = sheet
  const columns = ["Column", "Taken as", "Holds", ...Array.from({length: rows}, (_, at) => `row ${at + 1}`)]
  return html`<h1 id="title">${title}</h1>
    ${place(sheet)}
    ${remarks.map((words) => html`<p>${words}</p>`)}
    ${bad.length ? html`<p class="bad">Not a number: ${bad.map((word) => asMissing(word, `“${word}” means missing`))}</p>` : ""}
    <div class="scroll">${table("Columns", columns, lines, line(bad))}</div>
    <div class="choices">
      ${gaps ? html`<label>${gaps}<select data-field="missing" aria-label="Missing values">
        ${options([["drop", "leave these rows out"], ["median", "fill in the median"]], missing)}
        </select></label>` : ""}
      <label title="Words, with commas between; an empty cell, NA, ? and - always do">These mean missing
        <input type="text" size="12" data-field="unknown" value="${unknown}" placeholder="unknown, -999"></label>
      <label>${apart}<select data-field="scaling" aria-label="Scale features">
        ${options(scalings, scaling)}</select></label>
    </div>
    ${preview.words ? html`<p>${preview.words}</p><div class="scroll first" tabindex="0" role="region"
      aria-label="First points">${table("First points", preview.columns, preview.rows)}</div>` : ""}`
}

function placeOf(node) {
  if (!node) return null
  const {column, field} = node.dataset
  if (column !== undefined) return `[data-column="${CSS.escape(column)}"]`
  return field ? `[data-field="${field}"]` : null
}

export function render({model}) {
  const {dialog, show, parts} = sheetOver(model, "Table", `<div class="sheet"></div><p role="alert" hidden></p>
    <footer><span role="status"></span><button data-what="cancel">Cancel</button>
    <button data-what="none">Ignore all columns</button>
    <button data-what="load" class="primary">Load</button></footer>`, "cancel")
  dialog.setAttribute("aria-labelledby", "title")
  const [sheet, alert, status] = parts(".sheet", "[role=alert]", "[role=status]")
  const reads = (busy) => {
    sheet.ariaBusy = busy ? "true" : null
    status.textContent = busy ? "The file is being read again…" : ""
  }
  const draw = () => {
    const open = model.sheet.lines !== undefined
    reads(false)
    if (open) {
      const place = placeOf(dialog.querySelector(":focus"))
      const scrolled = dialog.querySelector(".scroll")?.scrollTop ?? 0
      sheet.innerHTML = body(model.sheet).text
      dialog.querySelector(".scroll").scrollTop = scrolled
      alert.textContent = model.sheet.refusal
      alert.hidden = !model.sheet.refusal
      show(true)
      const focused = place ? dialog.querySelector(place) : null
      if (focused) focused.focus({preventScroll: true})
      else if (!place) dialog.querySelector(".primary").focus()
    } else show(false)
  }
  dialog.addEventListener("change", ({target}) => {
    const {column, field} = target.dataset
    if (column !== undefined) model.send_msg({what: "role", column, role: target.value})
    else if (FIELDS.includes(field)) {
      reads(true)
      model.send_msg({what: field, value: target.value})
    }
  })
  dialog.addEventListener("click", ({target: {dataset: {word}}}) =>
    word !== undefined && model.send_msg({what: "word", value: word}))
  model.on("sheet", draw)
  model.on("after_layout", draw)
  return dialog
}
