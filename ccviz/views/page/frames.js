// The fields for files (FilePond) look at the page sixty times a second for as long as it is open,
// which takes a twelfth of a core from a page that rests. They use this clock where they find it:
// it beats as quickly for a second after something has happened to a file, and seldom otherwise.
{
  const QUICK_MS = 16, SELDOM_MS = 200, AWAKE_MS = 1000
  const SIGNS = ["dragenter", "dragover", "FilePond:init", "FilePond:addfilestart", "FilePond:addfileprogress",
    "FilePond:addfile", "FilePond:processfilestart", "FilePond:processfileprogress", "FilePond:processfile",
    "FilePond:removefile", "FilePond:warning", "FilePond:error"]
  const clock = window.__framePainter = {readers: [], writers: []}
  let awakeUntil = 0
  const wake = () => { awakeUntil = performance.now() + AWAKE_MS }
  const beat = () => {
    for (const read of clock.readers) read()
    for (const write of clock.writers) write(performance.now())
    setTimeout(beat, performance.now() < awakeUntil ? QUICK_MS : SELDOM_MS)
  }
  for (const sign of SIGNS) document.addEventListener(sign, wake)
  beat()
}
