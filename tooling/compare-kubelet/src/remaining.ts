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

const present = (image: string): string =>
  `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`

const EACH_SYNC = "The genuine kubelet says with each sync of a pod that the images of its volumes are there."

const READINESS = "Readiness probe failed: "

/** The differences that remain, by shape. */
export const remaining: Readonly<Record<string, Remaining>> = {
  "image-volume": { why: EACH_SYNC, lines: repeated(2, present("files:1")) },
  "image-volume-pulled-slowly": {
    why: EACH_SYNC,
    lines: [
      "@ create events 201: at 6.38 s, not 12 s",
      '-   involvedObject.kind: "Pod"',
      '-   involvedObject.name: "image-volume-pulled-slowly"',
      '-   involvedObject.namespace: "default"',
      "-   involvedObject.resourceVersion: <version>",
      "-   involvedObject.uid: <uid>",
      "-   lastTimestamp: <time>",
      `-   message: ${JSON.stringify(present("absent-slow-files:1"))}`,
      "-   metadata.name: <event>",
      '-   metadata.namespace: "default"',
      '-   reason: "Pulled"',
      '-   reportingComponent: "kubelet"',
      "-   reportingInstance: <node>",
      '-   source.component: "kubelet"',
      "-   source.host: <node>",
      '-   type: "Normal"',
      ...repeated(2, present("absent-slow-files:1")),
      "- create events 201",
      "-   count: 1",
      "-   eventTime: null",
      "-   firstTimestamp: <time>",
      '-   involvedObject.apiVersion: "v1"'
    ]
  },
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
