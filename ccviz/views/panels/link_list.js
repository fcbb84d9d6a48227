// A list of links; those that follow from others are greyed. It is one stop of the Tab key: the arrow keys, a tap
// or the mouse go to a row, and that row alone has its weight and its button.
function line(kind) {
  return html`<svg width="26" height="8" aria-hidden="true"><line x1="1" x2="25" y1="4" y2="4"
    class="${kind}" /></svg>`
}

function price(row) {
  return row.price === undefined ? "" : html`<span class="price" title="${row.words}" aria-label="${row.words}"
    style="--share: ${row.share}">${row.price}</span>`
}

function given(row, place) {
  return html`<li class="given ${row.broken ? "broken" : ""}" data-row="${place}">
    ${line(row.kind)}<span class="pair" title="${row.pair}">${row.pair}</span>
    ${row.source ? html`<span class="source" title="${row.source}">${row.source}</span>` : ""}
    <span class="note" title="${row.note}" aria-label="${row.note}">${row.broken ? html`${row.many}⚡` : ""}</span>
    ${price(row)}
    <span class="weight" data-weight="${row.weight ?? ""}"></span>
    <input type="number" min="0" step="any" placeholder="hard" value="${row.weight ?? ""}"
      data-place="${place}" title="Weight; empty is hard" aria-label="Weight of ${row.name}, empty for hard">
    <button type="button" data-place="${place}" title="Delete ${row.name}"
      aria-label="Delete ${row.name}">✕</button>
  </li>`
}

function implied(row) {
  return html`<li class="implied" title="It follows from the others">
    ${line(row.kind)}<span class="pair" title="${row.pair}">${row.pair}</span>
    <span class="note">implied</span></li>`
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "links"
  let at = -1
  const choose = (place) => {
    at = Math.max(-1, Math.min(place, model.rows.length - 1))
    for (const row of box.querySelectorAll("li")) row.classList.toggle("at", Number(row.dataset.row) === at)
    box.querySelector(".at")?.scrollIntoView({block: "nearest"})
  }
  const draw = () => {
    const focused = box.matches(":focus-within")
    const rows = model.rows.map((row, place) => row.implied ? implied(row) : given(row, place))
    box.innerHTML = html`<ul aria-label="Links" ${rows.length ? "tabindex" : "data-empty"}="0">${rows}</ul>`.text
    if (focused) box.firstChild.focus()
    if (at >= 0) choose(at)
  }
  box.addEventListener("keydown", (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (!step || event.target.matches("input")) return
    event.preventDefault()
    choose(Math.max(0, at + step))
  })
  box.addEventListener("click", ({target}) => {
    const button = target.closest("button"), row = target.closest("[data-row]")
    if (button) model.send_msg({what: "delete", place: Number(button.dataset.place)})
    else if (row) choose(Number(row.dataset.row))
  })
  box.addEventListener("change", (event) => {
    const {place} = event.target.dataset
    const weight = event.target.value === "" ? null : Number(event.target.value)
    event.target.value = model.rows[place].weight ?? ""  // until the new weight is accepted
    model.send_msg({what: "weigh", place: Number(place), weight})
  })
  model.on("rows", draw)
  draw()
  return box
}
