// What marks the clusters: features by clusters, shaded by how far each mean is from that of all.
const FILES = [["rows", "My rows with clusters (CSV)"], ["profile", "This table (CSV)"],
  ["markdown", "This table (Markdown)"], ["report", "Report (HTML)"]]

function shade(apart) {
  const share = Math.round(45 * Math.min(Math.abs(apart) / 2, 1))
  const color = apart > 0 ? "#0072b2" : "#d55e00"
  return `background: color-mix(in srgb, ${color} ${share}%, transparent)`
}

function head({number, name, color, size, share, silhouette}, chosen) {
  return html`<th scope="col"><div><button data-cluster="${number}" aria-pressed="${number === chosen}"
    title="Show only cluster ${number}" aria-label="cluster ${number}${name ? `: ${name}` : ""}"><i style="background:${color}"></i>${name || number}</button>
    <button class="name" data-name="${number}" title="Give cluster ${number} a name" aria-label="Name cluster ${number}">✎</button></div>
    <small title="points">${size}</small><small title="share of all">${share}</small>
    <small title="mean silhouette">${silhouette}</small></th>`
}

function choice(heads, label, key) {
  return html`<label>${label} <select data-key="${key}" aria-label="${label}">${heads.map(({number, name}) =>
    html`<option value="${number}">${name || `cluster ${number}`}</option>`)}</select></label>`
}

// Merging and moving make links; the next run answers.
function changes(heads, point) {
  return html`<h2>Change the clusters</h2>
    <div class="change">${choice(heads, "Merge", "one")}${choice(heads.slice(1).concat(heads[0]), "with", "other")}
      <button data-change="merge" title="k falls by one, and must-links join the two">Merge</button></div>
    <div class="change"><label>Point <input aria-label="Point" data-key="point" value="${point}" size="8"></label>${choice(heads, "belongs in", "into")}
      <button data-change="move" title="Must-links with its middle, and a cannot-link with the middle of the old cluster">Move</button></div>`
}

function row({name, separation, whole, cells}) {
  return html`<tr><th scope="row">${name}</th>
    <td class="bar" title="${separation} of its variance lies between the clusters">
      <i style="width:${separation}"></i><span>${separation}</span></td>
    <td>${whole[0]}<small> ± ${whole[1]}</small></td>
    ${cells.map(([mean, spread, apart]) => html`<td style="${shade(apart)}"
      title="${apart.toFixed(1)} deviations from the mean of all">${mean}<small> ± ${spread}</small></td>`)}
  </tr>`
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "clusters"
  const draw = () => {
    const {about, heads, rows, more, rules} = model.table
    if (!heads) {
      box.innerHTML = html`<p>${about}</p>`.text
      return
    }
    const place = box.querySelector(":focus")?.dataset.cluster
    const scrolled = box.querySelector(".scroll")?.scrollTop ?? 0
    const kept = rules.map(({words, holds}) => html`<li class="${holds ? "" : "broken"}">${words}</li>`)
    box.innerHTML = html`<p>${about}</p>
      ${rules.length ? html`<ul class="rules" aria-label="Rules of the clusters">${kept}</ul>` : ""}
      <div class="scroll"><table aria-label="What marks the clusters"><thead><tr>
        <th scope="col">Feature</th>
        <th scope="col" title="Share of the variance between the clusters">Share</th><th scope="col">All</th>
        ${heads.map((each) => head(each, model.chosen))}</tr></thead>
        <tbody>${rows.map(row)}</tbody></table></div>
      ${more ? html`<p>${more}</p>` : ""}
      ${heads.length > 1 ? changes(heads, model.point) : ""}
      <h2>Take home</h2><div class="files">
      ${FILES.map(([what, words]) => html`<button data-file="${what}">${words}</button>`)}</div>`.text
    box.querySelector(".scroll").scrollTop = scrolled
    if (place !== undefined) box.querySelector(`[data-cluster="${place}"]`)?.focus()
  }
  const rename = (cluster) => {
    const {name} = model.table.heads.find(({number}) => number === cluster)
    const given = window.prompt(`A name for cluster ${cluster}`, name)
    if (given !== null) model.send_msg({what: "name", cluster, name: given})
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (!button) return
    const {cluster, file, name, change} = button.dataset
    const value = (key) => box.querySelector(`[data-key="${key}"]`).value
    if (file) model.send_msg({what: "file", file})
    else if (name) rename(Number(name))
    else if (change === "merge") model.send_msg({what: change, one: Number(value("one")), other: Number(value("other"))})
    else if (change === "move") model.send_msg({what: change, point: value("point"), cluster: Number(value("into"))})
    else model.send_msg({what: "cluster", cluster: Number(cluster)})
  })
  model.on("msg:custom", handOver)
  model.on("table", draw)
  model.on("chosen", draw)
  model.on("point", () => {
    const field = box.querySelector(`[data-key="point"]`)
    if (field) field.value = model.point
  })
  draw()
  return box
}
