/** What differs between a recorded life and Rollcall's kubelet, and why. */
export interface Remaining {
  readonly why: string
  readonly lines: ReadonlyArray<string>
}

const repeated = (count: number, message: string): ReadonlyArray<string> => [
  "- patch events 200",
  `-   count: ${count}`,
  "-   lastTimestamp: <time>",
  `-   message: ${JSON.stringify(message)}`
]

const READINESS = "Readiness probe failed: "

/** The differences that remain, by shape. */
export const remaining: Readonly<Record<string, Remaining>> = {
  "http-probes": {
    why: "The genuine kubelet's readiness probes begin before the status shows the start, and so fail once more.",
    lines: repeated(7, `${READINESS}HTTP probe failed with statuscode: 503`)
  },
  probes: {
    why: "Readiness probes of a container that is restarted go on, until the kubelet knows that it has not started yet.",
    lines: [
      ...repeated(9, READINESS),
      "-   count: 10",
      "-   lastTimestamp: <time>",
      `-   message: ${JSON.stringify(READINESS)}`,
      "- patch events 200",
      "-   count: 11",
      "+   count: 3",
      `-   message: ${JSON.stringify(READINESS)}`,
      '+   message: "Startup probe failed: "',
      "-   count: 3",
      "+   count: 4",
      "-   count: 12",
      "+   count: 9",
      "-   count: 13",
      "+   count: 10",
      "-   count: 14",
      "+   count: 11"
    ]
  }
}
