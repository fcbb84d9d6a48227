// How many clusters? A sheet over the page: a curve, a table of numbers, a button to use one.
const [WIDTH, HEIGHT, LEFT, TOP, FOOT] = [640, 210, 64, 10, 36]
const RIGHT = 14

function curve(points, color, dash) {
  const known = points.filter(([, y]) => y !== null)
  return html`<polyline fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"
    points="${known.map((point) => point.join(",")).join(" ")}" />
    ${known.map(([x, y]) => html`<circle cx="${x}" cy="${y}" r="4" fill="${color}" />`)}`
}

// The value of an axis in few digits: 426,636 is "427K".
const short = (value) =>
  new Intl.NumberFormat("en", {notation: "compact", maximumSignificantDigits: 3}).format(value)

function chart({rows, k: used}) {
  const values = rows.flatMap(({objective, bound}) => [objective, bound]).filter((each) => each !== null)
  if (rows.length < 2 || !values.length) return ""
  const high = Math.max(...values) || 1
  const x = (at) => LEFT + (at + 0.5) * (WIDTH - LEFT - RIGHT) / rows.length
  const y = (value) => value === null ? null
    : Math.round(TOP + (HEIGHT - FOOT - TOP) * (1 - Math.max(0, value) / high))
  const line = (name) => rows.map((row, at) => [x(at), y(row[name])])
  const here = rows.findIndex(({k}) => k === used)
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
    aria-label="objective and proved lower bound by number of clusters">
    ${here >= 0 ? html`<rect class="here" x="${x(here) - 16}" y="${TOP}" width="32"
      height="${HEIGHT - FOOT - TOP + 18}" rx="5" />` : ""}
    ${[0, high / 2, high].map((value) => html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}"
      y1="${y(value)}" y2="${y(value)}" /><text class="value" x="${LEFT - 6}" y="${y(value) + 4}">
      ${short(value)}</text>`)}
    ${curve(line("objective"), "var(--accent)", "")}${curve(line("bound"), "#d55e00", "5 4")}
    ${rows.map(({k}, at) => html`<text x="${x(at)}" y="${HEIGHT - FOOT + 14}">${k}</text>`)}
    <text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 5}">clusters (k)</text></svg>
    <p class="key"><i style="background:var(--accent)"></i>objective found
      <i style="background:#d55e00"></i>proved lower bound: no clustering costs less</p>`
}

const taking = (k) => html`<button type="button" data-k="${k}">Use k = ${k}</button>`

function row({k, cells}, {k: used, elbow}) {
  return html`<tr class="${k === used ? "used" : ""}"><th scope="row">${k}${k === elbow
    ? html` <span class="chip">elbow</span>` : ""}</th>${cells.map((cell) => html`<td>${cell}</td>`)}
    <td>${k === used ? html`<span class="now">in use</span>`
      : taking(k)}</td></tr>`
}

export function render({model}) {
  const {dialog, show, parts} = sheetOver(model, "How many clusters?", `<h1>How many clusters?</h1>
    <form><label>k from <input name="low" type="number" min="1" value="1"></label>
    <label>to <input name="high" type="number" min="1" value="8"></label>
    <label>seconds to raise each bound <input name="seconds" type="number" min="0" step="any" value="5"></label>
    <button class="primary">Compare</button><button type="button" data-what="stop">Stop</button>
    <span>or find <button type="button" data-choice="least"
      title="The fewest clusters with which everything can be kept">the least k</button>
    <button type="button" data-choice="free"
      title="The number of clusters that costs least, under a rule such as size>=3">the best k</button></span></form>
    <div class="found"></div><p role="status"></p><p class="chosen"></p>
    <footer><button type="button" data-what="close">Close</button></footer>`)
  const [form, found, status, stop, use] = parts("form", ".found", "[role=status]", "[data-what=stop]", ".chosen")
  const draw = () => {
    const {columns, rows, words, busy, chosen, k} = model.content
    found.innerHTML = html`${chart(model.content)}${table("Numbers of clusters", [...columns, ""], rows,
      (each) => row(each, model.content))}`.text
    status.textContent = words
    use.innerHTML = html`${chosen && chosen !== k ? taking(chosen) : ""}`.text
    stop.disabled = !busy
    show(model.shown)
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    model.send_msg({what: "start", ...numbersOf(form, "low", "high", "seconds")})
  })
  dialog.addEventListener("click", ({target: {dataset: {k, choice}}}) => {
    if (k) model.send_msg({what: "take", k: Number(k)})
    if (choice) model.send_msg({what: "start", choice})
  })
  model.on("content", draw)
  model.on("shown", draw)
  model.on("after_layout", draw)
  return dialog
}
