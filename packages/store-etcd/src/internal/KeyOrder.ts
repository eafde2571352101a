interface Job {
  readonly keys: ReadonlyArray<string>
  readonly start: (done: () => void) => void
  /** How many earlier jobs with one of the keys are not done. */
  blockers: number
  readonly blocked: Array<Job>
}

/** Starts jobs so that those with a common key run one after the other, in the order of the calls, and others side by side. */
export class KeyOrder {
  private readonly newest = new Map<string, Job>()
  private count = 0
  private readonly ready: Array<Job> = []
  private isStarting = false
  private idle: (() => void) | undefined

  /** The number of jobs that are not done. */
  get size(): number {
    return this.count
  }

  /** Runs a job; `start` calls `done` once, whatever its outcome. */
  run(keys: ReadonlyArray<string>, start: (done: () => void) => void): void {
    const job: Job = { keys, start, blockers: 0, blocked: [] }
    this.count++
    for (const key of keys) {
      const before = this.newest.get(key)
      if (before !== undefined) {
        before.blocked.push(job)
        job.blockers++
      }
      this.newest.set(key, job)
    }
    if (job.blockers === 0) this.start(job)
  }

  /** Calls back once no job is left. */
  whenIdle(callback: () => void): void {
    if (this.count === 0) callback()
    else this.idle = callback
  }

  /** Starts a job, in a loop: one that ends at once starts the next, and there may be thousands. */
  private start(job: Job): void {
    this.ready.push(job)
    if (this.isStarting) return
    this.isStarting = true
    for (let next = this.ready.shift(); next !== undefined; next = this.ready.shift()) this.startOne(next)
    this.isStarting = false
  }

  private startOne(job: Job): void {
    job.start(() => {
      this.count--
      for (const key of job.keys) if (this.newest.get(key) === job) this.newest.delete(key)
      for (const next of job.blocked) {
        next.blockers--
        if (next.blockers === 0) this.start(next)
      }
      if (this.count === 0) this.idle?.()
    })
  }
}
