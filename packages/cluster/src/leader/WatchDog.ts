/** How an election stands, as its health checks tell it. Kept by the election that it is given to. */
export class LeaderWatchDog {
  /** What went wrong with the last try; undefined: nothing. */
  private problem: string | undefined = "the lease has not been read yet"
  /** While this candidate leads: the Lease's name, its duration, and when it was last seen renewed. */
  private term: { readonly lease: string; readonly durationMs: number; readonly renewedMs: number } | undefined

  /** A try to get or to renew the Lease was answered: by whom it is held is another matter. */
  answered(
    term: { readonly lease: string; readonly durationMs: number; readonly renewedMs: number } | undefined
  ): void {
    this.problem = undefined
    this.term = term
  }

  failed(problem: string): void {
    this.problem = problem
  }

  /**
   * What is wrong with a leader that goes on although its Lease has run out for longer than is tolerated; a candidate that does
   * not lead is well. Upstream: client-go/tools/leaderelection/leaderelection.go Check, healthzadaptor.go.
   */
  expired(nowMs: number, toleratedMs: number): string | undefined {
    const { term } = this
    if (term === undefined || nowMs - term.renewedMs <= term.durationMs + toleratedMs) return undefined
    return `failed election to renew leadership on lease ${term.lease}`
  }

  /** Why this candidate could not lead now, nor go on leading: the Lease cannot be read or written. */
  unanswered(): string | undefined {
    return this.problem
  }
}
