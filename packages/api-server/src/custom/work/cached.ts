/** A function of a text that remembers its latest answers, at most `size` to twice `size` of them. */
export const cached = <A>(size: number, make: (text: string) => A): ((text: string) => A) => {
  let young = new Map<string, A>()
  let old = new Map<string, A>()
  return (text) => {
    const known = young.get(text)
    if (known !== undefined) return known
    const made = old.get(text) ?? make(text)
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(text, made)
    return made
  }
}
