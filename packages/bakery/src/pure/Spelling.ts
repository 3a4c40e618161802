/** How words are written: short forms spelled out, slips of the pen forgiven. */

/** Letters to change, add, drop or swap with a neighbour to make one word another. */
export const distance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          (row[j - 1] ?? Infinity) + 1,
          at(i - 1, j - 1) + same,
          swapped ? at(i - 2, j - 2) + 1 : Infinity
        )
      )
    }
  }
  return at(from.length, to.length)
}

/** True when one word is the other with a slip: one letter in a word of four, two in a longer one of seven or more. */
export const isSlipOf = (written: string, meant: string): boolean => {
  if (written === meant) return true
  const shorter = Math.min(written.length, meant.length)
  if (Math.abs(written.length - meant.length) > 2 || shorter < 3 || (shorter < 6 && written[0] !== meant[0])) {
    return false
  }
  return distance(written, meant) <= (shorter >= 7 ? 2 : 1)
}

const spelledOut: ReadonlyArray<readonly [RegExp, string]> = [
  [/[’`´]/g, "'"],
  [/\b(?:tmrw|tmr|tmw|2moro|2morrow|tom+or+ow)\b/g, "tomorrow"],
  [/[\n\r]+/g, " ; "],
  [/(\d),(?=\d{3}\b)/g, "$1"],
  [/(\p{L})'(\s|$)/gu, "$1$2"],
  [/(\d),(\d)/g, "$1.$2"],
  [/[$€£]\s?\d+(?:[.,]\d+)?/g, " money "],
  [/\d+\.\d\d (each|per|apiece)\b/g, "money $1"],
  [/(\d)\s*½|(\d)\s+1\/2\b/g, "$1$2.5"],
  [/½|\b1\/2\b/g, " half "],
  [/¾|\b3\/4\b/g, " three quarters "],
  [/¼|\b1\/4\b/g, " quarter "],
  [/(^|\s)[-−](\d)/g, "$1minus $2"],
  [/\bbaker'?s'? dozen/g, "bakers-dozen"],
  [/\bhalf-(?:a-)?(?:of-)?(?:a-)?dozen/g, "half dozen"],
  [/\b(\d+)-(\p{L}{2,})/gu, "$1 $2"],
  [/\b(\p{L}+)-(packs?)\b/gu, "$1 $2"],
  [/\bo clock\b/g, "o'clock"],
  [/\b(\d+)(\p{L}{3,})/gu, "$1 $2"],
  [/(\d)\s*(?:doz|dz)\b\.?/g, "$1 dozen"],
  [/\b(?:doz|dz)\b\.?/g, "dozen"],
  [/\b(?:or so|give or take)\b/g, ""],
  [/(\d)k\b/g, "$1 thousand"],
  [/\b\d+s\b/g, "several"],
  [/(\d)\+/g, "$1"],
  [/,? ?\b(?:qty|quantity):? ?(\d)/g, " x $1"],
  [/\b(mon|tue|wed|thu|fri|sat|sun)(\p{L}*)-(mon|tue|wed|thu|fri|sat|sun)/gu, "$1$2 - $3"],
  [/\bgood (?:morning|afternoon|evening|day)\b/g, "hello"],
  [/\bx(\d)/g, "x $1"],
  [/(\d)x\b/g, "$1 x"],
  [/(\d)x(\d)/g, "$1 x $2"],
  [/\b(gluten|dairy|nut|sugar|egg|lactose)[- ]free\b/g, "$1-free"],
  [/\bhot (cross|dog)\b/g, "hot-$1"],
  [/\bsour dough\b/g, "sourdough"],
  [/@/g, " at "],
  [/\bur\b/g, "your"],
  [/\bu\b/g, "you"],
  [/\br\b/g, "are"],
  [/\bn\b|&/g, " and "],
  [/\bhav\b/g, "have"],
  [/\bwh?ats?\b/g, "what"],
  [/\bpl[sz]\b/g, "please"],
  [/\bth(?:x|nx|anx)\b/g, "thanks"],
  [/\btonite\b/g, "tonight"],
  [/\bhrs\b/g, "hours"],
  [/\bwanna\b/g, "want to"],
  [/\bgimme\b/g, "give me"],
  [/ {2,}/g, " "]
]

/** A text in lower case, with short forms and fractions spelled out. */
export const tidy = (text: string): string =>
  spelledOut.reduce((tidied, [short, long]) => tidied.replace(short, long), text.normalize("NFC").toLowerCase())
