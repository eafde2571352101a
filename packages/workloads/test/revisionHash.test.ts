import { assert, describe, it } from "@effect/vitest"
import type { StatefulSet } from "@rollcall/api"
import { revisionHash } from "../src/history/revisionHash.ts"
import { newRevision } from "../src/history/revisions.ts"

/** A set as an API server has defaulted it. */
const setOf = (name: string, command: ReadonlyArray<string> | undefined): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, namespace: "default", uid: "s" },
  spec: {
    serviceName: "hh",
    selector: { matchLabels: { app: "hh" } },
    template: {
      metadata: { labels: { app: "hh" } },
      spec: {
        containers: [
          {
            name: "c",
            image: "nginx:1",
            ...(command === undefined ? {} : { command }),
            resources: {},
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent"
          }
        ],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler"
      }
    }
  }
})

const nameOf = (set: StatefulSet): string | undefined => {
  const { selector, template } = set.spec
  return newRevision({ owner: set, template, selector, hashLabel: "hash", collisionCount: 0, hash: revisionHash }, 1)
    .metadata.name
}

describe("the revision of a StatefulSet", () => {
  it("has the name that Kubernetes gives it", () => {
    assert.strictEqual(nameOf(setOf("hh", undefined)), "hh-66f7f79d4f")
    assert.strictEqual(nameOf(setOf("html", ["sh", "-c", "a <b && ü>c € 😀"])), "html-7747cb94c9")
  })
})
