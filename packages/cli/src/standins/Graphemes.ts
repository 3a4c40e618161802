/**
 * Only for the bundle, in place of `Intl.Segmenter`: the library makes a segmenter as it loads, to measure the columns of help, and the
 * tables that takes cost more than all else help does. Text of plain ASCII needs none: there, each character is a grapheme.
 */
export class Segmenter {
  readonly #arguments: ConstructorParameters<typeof Intl.Segmenter>
  #real: Intl.Segmenter | undefined

  constructor(...args: ConstructorParameters<typeof Intl.Segmenter>) {
    this.#arguments = args
  }

  segment(text: string): Iterable<{ readonly segment: string }> {
    if (/^[ -~]*$/.test(text)) return Array.from(text, (segment) => ({ segment }))
    const { Segmenter } = globalThis.Intl
    return (this.#real ??= new Segmenter(...this.#arguments)).segment(text)
  }
}
