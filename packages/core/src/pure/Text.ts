/**
 * Text a model and a provider can take: well-formed Unicode, never blank, never too long.
 * Every string that enters a transcript passes through here.
 */

/** True when there is nothing in it to read: empty, or white space alone. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** The same text with each half of a broken surrogate pair replaced by U+FFFD, as providers refuse such halves. */
export const mend = (text: string): string => text.isWellFormed() ? text : text.toWellFormed()

/** `mend`, and `placeholder` where the text is blank. */
export const mendOr = (text: string, placeholder: string): string => isBlank(text) ? placeholder : mend(text)

/** A size with thousands set apart, as in `10,485,760`. */
const size = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

/**
 * Keeps the head and the tail of a text longer than `max` UTF-16 units, with a line between them that names both
 * sizes. No character is cut in two, so up to two units fewer than `max` are kept.
 */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const half = Math.ceil(max / 2)
  const head = splitsPair(text, half) ? half - 1 : half
  const start = text.length - Math.floor(max / 2)
  const tail = splitsPair(text, start) ? start + 1 : start
  const kept = head + (text.length - tail)
  return `${text.slice(0, head)}\n[… cut: ${size(kept)} of ${size(text.length)} characters are shown …]\n${
    text.slice(tail)
  }`
}

/** The same text with each line break, and the white space around it, as one space. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ")

/** The first `max` UTF-16 units of a text that is longer, and an ellipsis. */
export const cutAt = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, splitsPair(text, max) ? max - 1 : max)}…`

/** True where a cut at `index` would part the two halves of one character. */
const splitsPair = (text: string, index: number): boolean => {
  const before = text.charCodeAt(index - 1)
  const after = text.charCodeAt(index)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
