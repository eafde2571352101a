/** One figure of a benchmark: how long a run of `operations` took. */
export interface Figure {
  readonly name: string
  readonly operations: number
  readonly seconds: number
}

export const perSecond = ({ operations, seconds }: Figure): number => operations / seconds

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** The median of three runs, after one to warm up. */
export const measure = async (name: string, operations: number, run: () => unknown): Promise<Figure> => {
  await run()
  const seconds: Array<number> = []
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    await run()
    seconds.push((performance.now() - start) / 1000)
  }
  return { name, operations, seconds: median(seconds) }
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")

/** Prints figures, and the ratio of the first to each of the others. */
export const report = (title: string, figures: ReadonlyArray<Figure>): void => {
  const [ours, ...others] = figures
  process.stdout.write(`\n${title}\n`)
  for (const figure of figures) {
    const each = ((figure.seconds / figure.operations) * 1e6).toFixed(3)
    process.stdout.write(
      `  ${figure.name.padEnd(52)} ${count(perSecond(figure)).padStart(14)} /s  ${each.padStart(8)} µs each\n`
    )
  }
  for (const other of ours === undefined ? [] : others) {
    const ratio = perSecond(ours as Figure) / perSecond(other)
    process.stdout.write(`  ratio to ${other.name}: ${ratio.toFixed(2)}\n`)
  }
}

/** Processor seconds of this process: other programs on the machine change these less than the time that passes. */
export const processorSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
}
