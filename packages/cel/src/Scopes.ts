/** The names that enclosing macros bind, with what is known of each: the last one hides those before it. */
export class Scopes<A> {
  private readonly bound: Array<readonly [string, A]> = []

  /** Does a work within which names are bound. */
  within<B>(names: ReadonlyArray<readonly [string, A]>, work: () => B): B {
    const length = this.bound.length
    this.bound.push(...names)
    const made = work()
    this.bound.length = length
    return made
  }

  get(name: string): A | undefined {
    for (let at = this.bound.length - 1; at >= 0; at--) if (this.bound[at]?.[0] === name) return this.bound[at]?.[1]
    return undefined
  }
}
