import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  checks,
  evaluate,
  formatReasons,
  formatViolations,
  minorOf,
  type PodMetadata,
  type PodSpec,
  type Version
} from "../src/index.ts"
import { levels } from "../src/Level.ts"
import { pods } from "./pods.ts"

/** What a version of the standards says of a pod, until the next one that is listed. */
type Answer = readonly [since: Version, violations: string]

/** A pod, and what kube-apiserver 1.36 answers in namespaces that enforce each level and version. */
interface Vector {
  readonly metadata?: PodMetadata
  readonly spec: PodSpec
  readonly baseline: ReadonlyArray<Answer>
  readonly restricted: ReadonlyArray<Answer>
}

const vectors: ReadonlyArray<Vector> = JSON.parse(
  readFileSync(new URL("fixtures/vectors.json", import.meta.url), "utf8")
)

const asked: ReadonlyArray<Version> = [
  ...[0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 99].map(
    (minor): Version => `v1.${minor}`
  ),
  "latest"
]

const minors = fc.integer({ min: 0, max: 40 }).map((minor): Version => `v1.${minor}`)

describe("evaluate", () => {
  it("forbids what kube-apiserver forbids, in its words", () => {
    for (const { metadata = {}, spec, ...answers } of vectors)
      for (const level of ["baseline", "restricted"] as const)
        for (const version of asked) {
          const [, expected] = answers[level].findLast(([since]) => minorOf(since) <= minorOf(version)) ?? []
          const actual = formatViolations(evaluate(level, version, metadata, spec))
          assert.strictEqual(actual, expected, `${level}:${version} ${JSON.stringify(spec)}`)
        }
  })

  it("has vectors in which each check forbids something", () => {
    const found = vectors.flatMap(({ metadata = {}, spec }) =>
      (["v1.0", "v1.24", "latest"] as const).flatMap((version) =>
        (["baseline", "restricted"] as const).flatMap((level) =>
          evaluate(level, version, metadata, spec).map(({ id }) => id)
        )
      )
    )
    assert.deepStrictEqual(
      checks.map(({ id }) => id).filter((id) => !found.includes(id)),
      []
    )
  })

  it("allows at the baseline what is allowed at the restricted level of the same version", () => {
    fc.assert(
      fc.property(pods, minors, (spec, version) => {
        const baseline = evaluate("baseline", version, {}, spec)
        const restricted = evaluate("restricted", version, {}, spec)
        assert.isTrue(restricted.length > 0 || baseline.length === 0)
      }),
      { numRuns: 3000 }
    )
  })

  it("allows everything at the level privileged", () => {
    fc.assert(fc.property(pods, minors, (spec, version) => evaluate("privileged", version, {}, spec).length === 0))
  })

  it("reads versions that it does not know as the newest", () => {
    fc.assert(
      fc.property(pods, fc.constantFrom(...levels), (spec, level) => {
        const latest = evaluate(level, "latest", {}, spec)
        for (const version of ["v1.35", "v1.36", "v1.1000"] as const)
          assert.deepStrictEqual(evaluate(level, version, {}, spec), latest)
      })
    )
  })

  it("reads the annotations of seccomp profiles until v1.19", () => {
    const found = (profile: string, version: Version) => {
      const annotations = { "container.seccomp.security.alpha.kubernetes.io/a": profile }
      return formatViolations(evaluate("baseline", version, { annotations }, { containers: [{ name: "a" }] }))
    }
    for (const profile of ["runtime/default", "docker/default", "localhost/x"])
      assert.strictEqual(found(profile, "v1.18"), "")
    assert.strictEqual(
      found("unconfined", "v1.18"),
      'seccompProfile (forbidden annotation container.seccomp.security.alpha.kubernetes.io/a="unconfined")'
    )
    assert.strictEqual(found("unconfined", "v1.19"), "")
  })

  it("names reasons alone in lists of pods", () => {
    const spec = { hostPID: true, containers: [{ name: "a", securityContext: { privileged: true } }] }
    assert.strictEqual(formatReasons(evaluate("baseline", "latest", {}, spec)), "host namespaces, privileged")
  })
})

describe("checks", () => {
  it("are in the order of the messages: the baseline first, each level by id", () => {
    const sorted = (["baseline", "restricted"] as const).flatMap((level) =>
      checks
        .filter((check) => check.level === level)
        .map(({ id }) => id)
        .sort()
    )
    assert.deepStrictEqual(
      checks.map(({ id }) => id),
      sorted
    )
  })

  it("have ascending versions, and only the restricted level includes checks of the baseline", () => {
    const baseline = checks.filter(({ level }) => level === "baseline").map(({ id }) => id)
    for (const { id, level, versions } of checks) {
      const since = versions.map((version) => version.since)
      assert.deepStrictEqual(
        since,
        [...new Set(since)].toSorted((left, right) => left - right),
        id
      )
      for (const { overrides = [] } of versions) {
        assert.isTrue(level === "restricted" || overrides.length === 0, id)
        assert.includeMembers(baseline, [...overrides], id)
      }
    }
  })
})
