// How many clusters? A sheet over the page: a curve, a table of numbers, a click to take one.
const [WIDTH, HEIGHT, LEFT, FOOT] = [640, 190, 14, 22]

function curve(points, color, dash) {
  const known = points.filter(([, y]) => y !== null)
  return html`<polyline fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"
    points="${known.map((point) => point.join(",")).join(" ")}" />
    ${known.map(([x, y]) => html`<circle cx="${x}" cy="${y}" r="4" fill="${color}" />`)}`
}

function chart(rows) {
  const values = rows.flatMap(({objective, bound}) => [objective, bound]).filter((each) => each !== null)
  if (rows.length < 2 || !values.length) return ""
  const [low, high] = [Math.min(0, ...values), Math.max(...values)]
  const x = (at) => LEFT + at * (WIDTH - 2 * LEFT) / (rows.length - 1)
  const y = (value) => value === null ? null
    : Math.round(8 + (HEIGHT - FOOT - 16) * (1 - (value - low) / (high - low || 1)))
  const line = (name) => rows.map((row, at) => [x(at), y(row[name])])
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
    aria-label="objective and proved lower bound by number of clusters">
    ${curve(line("objective"), "var(--accent)", "")}${curve(line("bound"), "#d55e00", "5 4")}
    ${rows.map(({k}, at) => html`<text x="${x(at)}" y="${HEIGHT - 5}">${k}</text>`)}</svg>
    <p class="key"><i style="background:var(--accent)"></i>objective found
      <i style="background:#d55e00"></i>proved lower bound: no clustering costs less</p>`
}

export function render({model}) {
  const dialog = sheetOver(model, "close")
  dialog.setAttribute("aria-label", "How many clusters?")
  dialog.innerHTML = `<h1>How many clusters?</h1>
    <form><label>k from <input name="low" type="number" min="1" value="1"></label>
    <label>to <input name="high" type="number" min="1" value="8"></label>
    <label>seconds for each bound <input name="seconds" type="number" min="0" step="any" value="5"></label>
    <button class="primary">Sweep</button><button type="button" data-what="stop">Stop</button></form>
    <div class="found"></div><p role="status"></p>
    <footer><button type="button" data-what="close">Close</button></footer>`
  const [form, found, status, stop] = ["form", ".found", "[role=status]", "[data-what=stop]"]
    .map((name) => dialog.querySelector(name))
  const draw = () => {
    const {rows, words, busy} = model.content
    found.innerHTML = html`${chart(rows)}${rows.length ? html`<table aria-label="Numbers of clusters">
      <thead><tr>${model.columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(({k, cells}) => html`<tr><td><button type="button" data-k="${k}"
        title="Take ${k} clusters">${k}</button></td>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
      </tbody></table>` : ""}`.text
    status.textContent = words
    stop.disabled = !busy
    if (model.shown && !dialog.open) dialog.showModal()
    else if (!model.shown && dialog.open) dialog.close()
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const [low, high, seconds] = ["low", "high", "seconds"].map((name) => Number(form.elements[name].value))
    model.send_msg({what: "start", low, high, seconds})
  })
  dialog.addEventListener("click", ({target}) => {
    const {what, k} = target.dataset
    if (what) model.send_msg({what})
    else if (k) model.send_msg({what: "take", k: Number(k)})
  })
  model.on("content", draw)
  model.on("shown", draw)
  model.on("after_layout", draw)
  return dialog
}
