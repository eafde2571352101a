/** The state of an election for health checks. The election that it is given to updates it. */
export class LeaderWatchDog {
  /** The problem of the last try; undefined if it had none. */
  private problem: string | undefined = "the lease has not been read yet"
  /** While this candidate leads: the Lease's name, its duration, and the time at which it was last seen renewed. */
  private term: { readonly lease: string; readonly durationMs: number; readonly renewedMs: number } | undefined

  /** Records that a request to read or renew the Lease was answered. The holder does not matter. */
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
   * Returns the problem of a leader that still runs although its Lease expired longer ago than is tolerated; undefined for
   * any other candidate. Upstream: client-go/tools/leaderelection/leaderelection.go Check,
   * healthzadaptor.go.
   */
  expired(nowMs: number, toleratedMs: number): string | undefined {
    const { term } = this
    if (term === undefined || nowMs - term.renewedMs <= term.durationMs + toleratedMs) return undefined
    return `failed election to renew leadership on lease ${term.lease}`
  }

  /** Returns why this candidate could not read or write the Lease at its last try; undefined if it could. */
  unanswered(): string | undefined {
    return this.problem
  }
}
