/** Whether a text is English enough for the rules. It is, unless something in it says that it is another language. */
import * as Words from "./Words.ts"

/** `nothing` holds no word and no number at all. */
export type Language = "english" | "foreign" | "nothing"

/** Foreign by its letters, by words of another language that outnumber the English ones, or by three words and none known. */
export const languageOf = (text: string): Language => {
  const words = text.match(/\p{L}[\p{L}\p{M}'-]*/gu) ?? []
  const letters = text.match(/\p{L}/gu) ?? []
  if (words.length === 0) return /\d/.test(text) ? "english" : "nothing"
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter))
  if (latin.length * 2 < letters.length) return "foreign"
  const foreign = words.filter((word) => Words.foreign.has(word))
  const known = words.filter(isKnown)
  if (foreign.length > 0 && foreign.length >= known.length) return "foreign"
  return known.length === 0 && words.length >= 3 ? "foreign" : "english"
}

/** Whether a word is of the rules' English, or names a day. */
const isKnown = (word: string): boolean =>
  !Words.foreign.has(word) &&
  (word.split("-").some((part) => lexicon.some((list) => list.has(part))) || Words.dayNamed(word) !== undefined ||
    Words.isFood(word))

const lexicon = [
  Words.plain,
  Words.foods,
  Words.asides,
  Words.determiners,
  Words.numbers,
  Words.multiples,
  Words.triggers,
  Words.traits,
  Words.topics,
  Words.ingredients,
  Words.uncounted,
  Words.people,
  Words.containers
]
