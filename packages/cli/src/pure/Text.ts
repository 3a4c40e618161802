/** Text that somebody else wrote, as it may stand on a terminal. */

/** One line for whatever went wrong: no line breaks, nothing that is no text, and not too long to read. */
export const oneLine = (text: string): string => {
  const line = printable(text.replace(/\s*\n\s*/g, " "))
  return line.length > 300 ? `${line.slice(0, 200)} … ${line.slice(-80)}` : line
}

/** Nothing a model or a tool says can move the cursor, recolour the screen or ring the bell. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (c) => c === "\n" || c === "\t" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
