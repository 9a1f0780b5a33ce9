'use strict'
const all = [...document.querySelectorAll('.interaction')].map((node) => ({ node, text: node.textContent.toLowerCase() }))
const search = document.querySelector('#search')
const boxes = [...document.querySelectorAll('#tools input[type=checkbox]')]
const shown = document.querySelector('#shown')

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const statuses = new Set(boxes.filter((box) => box.checked).map((box) => box.value))
  let count = 0
  for (const { node, text } of all) {
    node.hidden = !statuses.has(node.dataset.status) || !words.every((word) => text.includes(word))
    if (!node.hidden) count += 1
  }
  for (const section of document.querySelectorAll('main > section')) {
    section.hidden = all.length > 0 && !section.querySelector('.interaction:not([hidden])')
  }
  shown.textContent = count === all.length ? `all ${count} shown` : `${count} of ${all.length} shown`
}

function reveal() {
  const node = document.getElementById(location.hash.slice(1))
  if (node?.matches('.interaction')) node.open = true
}

document.querySelector('#tools').hidden = false
search.addEventListener('input', filter)
for (const box of boxes) box.addEventListener('change', filter)
for (const button of document.querySelectorAll('#tools button')) {
  button.addEventListener('click', () => {
    for (const { node } of all) if (!node.hidden) node.open = button.value === 'open'
  })
}
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return
  event.preventDefault()
  search.focus()
})
for (const button of document.querySelectorAll('.again button')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent)
    button.textContent = 'Copied'
  })
}
addEventListener('hashchange', reveal)
reveal()
filter()
