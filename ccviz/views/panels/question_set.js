// Which of these points do not belong with the others? A column for each point, a button at its head.
const key = (name) => html`<span class="key"> (${name})</span>`

const answer = (odd) => odd.length ? html`Keep ${odd.length} apart${key("C")}` : html`All together${key("M")}`

// A phone has no room for the word.
const short = (name) => name.startsWith("point ") ? html`<span class="word">point </span>${name.slice(6)}` : name

function column({name, values, picture}, place, features) {
  const told = values.map((value, at) => `${features[at]} ${value}`).join(", ")
  return html`<button data-what="mark" data-place="${place}" title="${name}"
      aria-label="${place + 1}: ${name}${told ? `, ${told}` : ""}"><b>${place + 1}</b> <span>${short(name)}</span></button>
    ${picture ? html`<span><img src="${picture}" alt=""></span>` : values.map((value) => html`<span>${value}</span>`)}`
}

function whole({points, features}) {
  const pictured = points.some(({picture}) => picture)
  return html`<p>Which do not belong with the others?<span class="word"> Click them here or in the plot.</span></p>
    <div class="set ${features.length ? "" : "bare"}" style="--rows: ${1 + (pictured ? 1 : features.length)}; --points: ${points.length}"
      role="group" aria-label="Points of the question">
      ${features.length ? html`<i>differ most in</i>` : ""}${features.map((name) => html`<i title="${name}">${name}</i>`)}
      ${points.map((each, place) => column(each, place, features))}</div>
    <div class="reply"><button data-what="answer" class="main"></button>
      <button data-what="unsure">Unsure${key("U")}</button><button data-what="undo">Undo${key("Z")}</button>
      <button data-what="enough">Enough${key("Esc")}</button></div>`.text
}

export function render({model}) {
  const box = document.createElement("div")
  // What is clicked stays where it is: a mark changes no element but its own words.
  const mark = () => {
    const {odd, waits} = model
    for (const button of box.querySelectorAll("button")) button.disabled = waits
    for (const button of box.querySelectorAll("[data-place]")) {
      button.ariaPressed = String(odd.includes(Number(button.dataset.place)))
    }
    box.querySelector(".main").innerHTML = answer(odd).text
  }
  const draw = () => {
    box.innerHTML = whole(model.shown)
    mark()
  }
  box.addEventListener("click", ({target}) => {
    const button = target.closest("button")
    if (button) model.send_msg({...button.dataset})
  })
  model.on("shown", draw)
  for (const name of ["odd", "waits"]) model.on(name, mark)
  draw()
  return box
}
