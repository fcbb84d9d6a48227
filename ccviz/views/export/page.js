// The page around the runs: a lesson, light or dark, and the beginning.

// --- The lesson -----------------------------------------------------------------------------

function lessonBox(lesson) {
  const steps = lesson.steps.map(({text, finding, sketch}) => {
    const parts = [element("p", {}, text)]
    if (sketch) parts.push(element("img", {class: "sketch", alt: "what has been bounded so far", src: `data:image/svg+xml,${encodeURIComponent(sketch)}`}))
    if (finding) parts.push(element("p", {class: "finding"}, finding))
    return element("li", {}, ...parts)
  })
  const box = element("section", {class: "lesson", "aria-label": "Lesson"}, element("h2", {}, lesson.title))
  const part = (title, text) => text ? box.append(element("h3", {}, title), element("p", {}, text)) : null
  part("What the paper says", lesson.paper)
  if (steps.length) box.append(element("ol", {}, ...steps))
  part("What to look for", lesson.look)
  if (lesson.exercises.length) {
    box.append(element("h3", {}, "Exercises"), element("ol", {class: "exercises"}, ...lesson.exercises.map(([question, answer]) => (
      element("li", {}, question, element("details", {}, element("summary", {}, "Answer"), element("p", {}, answer)))))))
  }
  return box
}

// --- The page -------------------------------------------------------------------------------

function paintTheme() {
  const root = document.documentElement
  const button = document.getElementById("theme")
  const dark = window.matchMedia("(prefers-color-scheme: dark)")
  const set = (to) => {
    root.dataset.theme = to ? "dark" : "light"
    button.setAttribute("aria-pressed", String(to))
    if (window.ccviz) window.ccviz.panels.forEach((panel) => panel.draw())
  }
  button.addEventListener("click", () => set(root.dataset.theme !== "dark"))
  dark.addEventListener("change", () => set(dark.matches))
  set(dark.matches)
}

async function open() {
  const {runs, lesson, words: given} = await unpack(document.getElementById("data").textContent)
  words = given
  const panels = runs.map((run, place) => new Panel(run, place))
  const box = document.getElementById("runs")
  box.dataset.many = runs.length
  box.replaceChildren(...panels.map((panel) => panel.box))
  if (lesson) document.getElementById("lesson").append(lessonBox(lesson))
  paintTheme()
  const player = new Player(panels, document)
  document.querySelector("noscript").after(player.box)
  window.ccviz = {panels, player}
  document.documentElement.dataset.ready = "yes"
}

open()
