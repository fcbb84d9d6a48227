// A field on which one file is dropped or chosen. A part of it is sent when the part before is answered.
// It is as large as all before it, within these limits: a busy server takes its time for each answer.
const LEAST_BYTES = 1 << 20
const MOST_BYTES = 1 << 22

// The whole page takes a file that is dropped, and cells that are pasted where no field has the focus.
function takeAnywhere(model, field, begin) {
  const holdsFiles = ({dataTransfer}) => dataTransfer?.types.includes("Files")
  const isElsewhere = (event) => event.composedPath().some((node) => node.localName === "dialog")
  const mark = (is) => {
    field.classList.toggle("over", is)
    document.body.style.outline = is ? "3px solid var(--accent)" : ""
    document.body.style.outlineOffset = "-3px"
  }
  const over = (event) => {
    if (!holdsFiles(event) || isElsewhere(event)) return
    event.preventDefault()
    mark(event.type === "dragover")
  }
  const drop = (event) => {
    mark(false)
    if (!holdsFiles(event) || event.defaultPrevented || isElsewhere(event)) return
    event.preventDefault()
    begin([...event.dataTransfer.files])
  }
  const paste = (event) => {
    if (typing(event) || isElsewhere(event)) return
    const {files} = event.clipboardData
    const cells = event.clipboardData.getData("text/plain")
    if (cells.includes("\n") || cells.includes("\t")) begin([new File([cells], "pasted.tsv")])
    else if (files.length) begin([...files])
  }
  const heard = {dragover: over, dragleave: over, drop, paste}
  for (const [name, act] of Object.entries(heard)) document.addEventListener(name, act)
  model.on("remove", () => {
    for (const [name, act] of Object.entries(heard)) document.removeEventListener(name, act)
  })
}

export function render({model}) {
  const field = document.createElement("label")
  field.className = "drop-zone"
  field.innerHTML = `<input type="file"><span role="status"></span>${model.anywhere ? "<kbd>Ctrl+V</kbd>" : ""}<progress max="1" hidden></progress>`
  const [input, words, bar] = ["input", "span", "progress"].map((each) => field.querySelector(each))
  if (model.anywhere) field.title = "Ctrl+V anywhere on the page pastes the cells of a spreadsheet; a file is dropped anywhere"
  let sending = null
  let uploads = 0

  const rest = (sentence = model.label) => {
    sending = null
    words.textContent = sentence
    input.ariaLabel = model.label
    bar.hidden = true
  }
  const send = async () => {
    const {upload, file, sent} = sending
    const show = file.size ? sent / file.size : 1
    words.textContent = `Uploading ${file.name}: ${Math.floor(100 * show)} %`
    bar.value = show
    bar.hidden = false
    try {
      const bytes = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, sent))
      const data = await file.slice(sent, sent + bytes).arrayBuffer()
      if (sending?.upload === upload) {
        model.send_msg({upload, name: file.name, size: file.size, at: sent, data})
      }
    } catch (broken) {
      if (sending?.upload === upload) rest(`${file.name} cannot be read: ${broken.message}`)
    }
  }
  const begin = (files) => {
    if (files.length > 1) return rest("Drop one file at a time.")
    const [file] = files
    if (!file) return
    if (file.size > model.most_bytes) {
      const size = Math.round(file.size / 1e6).toLocaleString("en")
      return rest(`${file.name} has ${size} MB; at most ${Math.round(model.most_bytes / 1e6)} MB are taken.`)
    }
    sending = {upload: ++uploads, file, sent: 0}
    send()
  }
  hear(model, ({upload, arrived, refusal}) => {
    if (sending?.upload !== upload) return
    if (refusal) rest(refusal)
    else if (arrived === sending.file.size) rest()
    else {
      sending.sent = arrived
      send()
    }
  })
  input.addEventListener("change", () => {
    begin([...input.files])
    input.value = ""  // so that the same file can be chosen again
  })
  field.addEventListener("dragover", (event) => {
    event.preventDefault()
    field.classList.add("over")
  })
  field.addEventListener("dragleave", () => field.classList.remove("over"))
  field.addEventListener("drop", (event) => {
    event.preventDefault()
    field.classList.remove("over")
    begin([...event.dataTransfer.files])
  })
  if (model.anywhere) takeAnywhere(model, field, begin)
  rest()
  return field
}
