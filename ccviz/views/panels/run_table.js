// A table of runs, one a line: filter, sort by a column, choose some to compare, show one, and
// unfold one: below it are the columns that had no room, and what else can be done with it.
const ACTIONS = [["rename", "Rename"], ["resume", "Go on"], ["share", "Share"],
  ["hide", "Unshare"], ["delete", "Delete"]]
// The first columns always have room in the line.
const IN_LINE = 4

// A long name may break at its underscores.
function breakable(text) {
  return text.split("_").map((piece, at) => at ? html`_<wbr>${piece}` : html`${piece}`)
}

// Where the focus is, in words that find the same place after the table was drawn again.
function placeOf(node) {
  if (!node) return null
  const {column, what} = node.dataset
  if (what === "all" || what === "sort") return `[data-what="${what}"]`
  if (column) return `[data-column="${column}"]`
  return `[data-id="${CSS.escape(node.closest("tr").dataset.id)}"] [data-what="${what}"]`
}

export function render({model}) {
  const box = document.createElement("div")
  box.innerHTML = html`<div class="find">
      <input type="search" placeholder="Filter runs" aria-label="Filter runs">
      <select aria-label="Sort runs by"><option value="">Newest first</option>
        ${model.columns.map((name, at) => html`<option value="${at}">By ${name}</option>`)}</select>
    </div>
    <p class="about"></p>
    <div class="scroll"><table><thead></thead><tbody></tbody></table></div>`.text
  const [filter, sort, said, head, body] =
    ["input", "select", ".about", "thead", "tbody"].map((name) => box.querySelector(name))
  const order = {column: null, down: false}
  const chosen = new Set(model.compared) // the table may be drawn again behind another tab
  const unfolded = new Set()

  const sorted = () => {
    const words = filter.value.toLowerCase().split(/\s+/)
    const rows = model.rows.filter((row) =>
      words.every((word) => row.cells.join(" ").toLowerCase().includes(word)))
    if (order.column === null) return rows
    const value = (row) => row.keys[order.column]
    const [known, unknown] = [rows.filter((row) => value(row) !== null), rows.filter((row) => value(row) === null)]
    known.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0))
    return [...(order.down ? known.reverse() : known), ...unknown]
  }
  const more = (row) => html`<p>${model.columns.map((name, at) => at < IN_LINE ? ""
      : html`<span class="${name.toLowerCase()}">${name} <b>${row.cells[at]}</b></span> `)}</p>
    ${ACTIONS.filter(([what]) => row.may.includes(what)).map(([what, words]) =>
      html`<button data-what="${what}">${words}</button>`)}`
  // Of very many runs the server knows the others: it searches and sorts all of them.
  let waiting = 0
  const find = () => {
    draw()
    if (!model.many) return
    clearTimeout(waiting)
    waiting = setTimeout(() => model.send_msg(
      {what: "find", words: filter.value, column: order.column, down: order.down}), 200)
  }
  const draw = () => {
    said.textContent = model.words
    said.hidden = !model.words
    const place = placeOf(box.querySelector("table :focus"))
    sort.value = order.column === null ? "" : order.column
    head.innerHTML = html`<tr><th class="tick"><input type="checkbox" data-what="all" aria-label="Tick all"
      ${chosen.size && sorted().every((row) => chosen.has(row.id)) ? "checked" : ""}></th>${model.columns.map((name, at) =>
      html`<th class="${name.toLowerCase()}"><button data-column="${at}" aria-label="Sort by ${name}">${name}${order.column === at ? (order.down ? " ↓" : " ↑") : ""}
      </button></th>`)}<th class="unfold">More</th></tr>`.text
    body.innerHTML = html`${sorted().map((row) => html`<tr data-id="${row.id}"
        class="${row.id === model.shown ? "shown" : ""}">
      <td class="tick"><input type="checkbox" data-what="compare" aria-label="Compare ${row.name}"
        ${chosen.has(row.id) ? "checked" : ""}></td>
      ${row.cells.map((cell, at) => html`<td class="${model.columns[at].toLowerCase()}">${at ? cell
        : html`<button data-what="open" aria-label="Show ${cell}" title="Show this run">${breakable(cell)}</button>`}</td>`)}
      <td class="unfold"><button data-what="unfold" aria-label="More about ${row.name}"
        aria-expanded="${unfolded.has(row.id)}">⋯</button></td>
      ${unfolded.has(row.id) ? html`<td class="more">${more(row)}</td>` : ""}
    </tr>`)}`.text
    if (place) box.querySelector(place)?.focus()
  }
  const act = (what, id) => {
    const row = model.rows.find((each) => each.id === id)
    const message = {what, id}
    if (what === "rename") {
      ask(box, "A name for this run", row.name, (name) => model.send_msg({...message, name}))
      return
    }
    if (what === "delete" && !window.confirm(`Delete the run ${row.name} for good?`)) return
    model.send_msg(message)
  }
  filter.addEventListener("input", find)
  sort.addEventListener("change", () => {
    order.column = sort.value === "" ? null : Number(sort.value)
    order.down = false
    find()
  })
  head.addEventListener("click", (event) => {
    if (event.target.matches("input")) {
      sorted().forEach((row) => event.target.checked ? chosen.add(row.id) : chosen.delete(row.id))
      model.send_msg({what: "compare", ids: [...chosen]})
      return draw()
    }
    const button = event.target.closest("button")
    if (!button) return
    const column = Number(button.dataset.column)
    order.down = order.column === column && !order.down
    order.column = column
    find()
  })
  body.addEventListener("click", (event) => {
    const id = event.target.closest("tr").dataset.id
    if (event.target.matches("input")) {
      event.target.checked ? chosen.add(id) : chosen.delete(id)
      model.send_msg({what: "compare", ids: [...chosen]})
      return
    }
    const what = event.target.closest("button")?.dataset.what
    if (what === "unfold") {
      unfolded.delete(id) || unfolded.add(id)
      draw()
    } else if (what) act(what, id)
  })
  model.on("rows", draw)
  model.on("words", draw)
  model.on("shown", draw)
  draw()
  return box
}
