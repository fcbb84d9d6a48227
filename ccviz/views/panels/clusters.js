// What marks the clusters: features by clusters, shaded by how far each mean is from that of all.
// Few clusters are columns, many are rows: a screen has more room for lines than for columns.
const FILES = [["rows", "My rows with clusters (CSV)"], ["profile", "This table (CSV)"],
  ["markdown", "This table (Markdown)"], ["report", "Report (HTML)"]]
const MAP = ["map", "Areas with clusters (GeoJSON)"]

function shade(apart) {
  const share = Math.round(45 * Math.min(Math.abs(apart) / 2, 1))
  const color = apart > 0 ? "#0072b2" : "#d55e00"
  return `background: color-mix(in srgb, ${color} ${share}%, transparent)`
}

function buttons({number, name, color}, chosen) {
  return html`<div><button data-cluster="${number}" aria-pressed="${number === chosen}"
    title="Show only ${name || `cluster ${number}`}" aria-label="cluster ${number}${name ? `: ${name}` : ""}"><i style="background:${color}"></i>${name || number}</button>
    <button class="name" data-name="${number}" title="Give cluster ${number} a name" aria-label="Name cluster ${number}">✎</button></div>`
}

function head(each, chosen) {
  const {size, share, silhouette} = each
  return html`<th scope="col">${buttons(each, chosen)}
    <small title="points">${size}</small><small title="share of all">${share}</small>
    <small title="mean silhouette">${silhouette}</small></th>`
}

function choice(heads, label, key) {
  return html`<label>${label} <select data-key="${key}" aria-label="${label}">
    ${options(heads.map(({number, name}) => [number, name || `cluster ${number}`]))}</select></label>`
}

// Each change makes few links; the next run answers.
function changes(heads, point) {
  const several = heads.length > 1 ? html`<div class="change">${choice(heads, "Merge", "one")}${choice(heads.slice(1).concat(heads[0]), "with", "other")}
      <button data-change="merge" title="k falls by one, and must-links join the two">Merge</button></div>
    <div class="change"><label>Points <input aria-label="Points" data-key="point" value="${point}" size="12"></label>${choice(heads, "belong in", "into")}
      <button data-change="move" title="Must-links with its middle, and a cannot-link with the middle of the old cluster">Move</button></div>` : ""
  return html`<h2>Change the clusters</h2>${several}
    <div class="change">${choice(heads, "Cluster", "whole")}
      <button data-change="keep" title="Must-links hold all its points together">Keep together</button>
      <button data-change="split" title="k rises by one, and a cannot-link parts the halves: those of two picked points, or of k-means">Split</button></div>`
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

const asColumns = ({heads, rows}, chosen) => html`<thead><tr><th scope="col">Feature</th>
  <th scope="col" title="Share of the variance between the clusters">Share</th><th scope="col">All</th>
  ${heads.map((each) => head(each, chosen))}</tr></thead><tbody>${rows.map(row)}</tbody>`

const asRows = ({heads, rows}, chosen) => html`<thead><tr><th scope="col">Cluster</th>
  <th scope="col">Points</th>${rows.map(({name, separation, whole}) => html`<th scope="col"
    title="${separation} of its variance lies between the clusters; mean of all ${whole[0]}, deviation ${whole[1]}">
    ${name}<small>${separation}</small></th>`)}</tr></thead>
  <tbody>${heads.map((each, at) => html`<tr><th scope="row">${buttons(each, chosen)}</th>
    <td title="${each.share} of all, mean silhouette ${each.silhouette}">${each.size}</td>
    ${rows.map(({cells}) => html`<td style="${shade(cells[at][2])}"
      title="deviation ${cells[at][1]}; ${cells[at][2].toFixed(1)} deviations from the mean of all">${cells[at][0]}</td>`)}
  </tr>`)}</tbody>`

export function render({model}) {
  const box = document.createElement("div")
  box.className = "clusters"
  const draw = () => {
    const {about, heads, more, rules, many} = model.table
    box.classList.toggle("many", many === true)
    if (!heads) {
      box.innerHTML = html`<p>${about}</p>`.text
      return
    }
    const place = box.querySelector(":focus")?.dataset.cluster
    const scrolled = box.querySelector(".scroll")?.scrollTop ?? 0
    const kept = rules.map(({words, holds}) => html`<li class="${holds ? "" : "broken"}">${words}</li>`)
    box.innerHTML = html`<p>${about}</p>
      ${rules.length ? html`<ul class="rules" aria-label="Rules of the clusters">${kept}</ul>` : ""}
      <div class="scroll"><table aria-label="What marks the clusters">
        ${(many ? asRows : asColumns)(model.table, model.chosen)}</table></div>
      ${more ? html`<p>${more}</p>` : ""}
      ${changes(heads, model.point)}
      <h2>Take home</h2><div class="files">
      ${[...FILES, ...(model.table.is_map ? [MAP] : [])].map(([what, words]) => html`<button data-file="${what}">${words}</button>`)}</div>`.text
    box.querySelector(".scroll").scrollTop = scrolled
    if (place !== undefined) box.querySelector(`[data-cluster="${place}"]`)?.focus()
  }
  const rename = (cluster) => {
    const {name} = model.table.heads.find(({number}) => number === cluster)
    ask(box, `A name for cluster ${cluster}`, name, (given) => model.send_msg({what: "name", cluster, name: given}))
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
    else if (change) model.send_msg({what: change, cluster: Number(value("whole"))})
    else model.send_msg({what: "cluster", cluster: Number(cluster)})
  })
  hear(model, handOver)
  model.on("table", draw)
  model.on("chosen", draw)
  model.on("point", () => {
    const field = box.querySelector(`[data-key="point"]`)
    if (field) field.value = model.point
  })
  draw()
  return box
}
