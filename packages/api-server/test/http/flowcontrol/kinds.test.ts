import { assert, describe, it } from "@effect/vitest"
import {
  type FlowSchema,
  type KindName,
  type KubeObject,
  kinds,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  suggestedFlowSchemas,
  suggestedPriorityLevels
} from "@rollcall/api"
import { printerOf, tableOf } from "@rollcall/printers"
import { kindTable } from "../../../src/core/registry/table.ts"
import { storageVersionHash } from "../../../src/http/root/discovery.ts"
import { makeTestServer, type TestServer } from "../../core/testServer.ts"

const messageOf = (testServer: TestServer, kind: KindName, object: unknown): string =>
  (testServer.refusalOf({ verb: "create", kind, namespace: "", object: object as KubeObject }).message ?? "").replace(
    /^.* is invalid: /,
    ""
  )

const level = (name: string, spec: object) => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: { name },
  spec
})

const schema = (name: string, spec: object) => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: "catch-all" }, ...spec }
})

const limited = (limitResponse: object, more: object = {}) => ({ type: "Limited", limited: { limitResponse, ...more } })

describe("the default objects", () => {
  const levels = [...mandatoryPriorityLevels, ...suggestedPriorityLevels]
  const schemas = [...mandatoryFlowSchemas, ...suggestedFlowSchemas]

  it("are complete and valid", () => {
    for (const one of levels) {
      const { metadata } = one
      const named = { ...one, metadata: { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z", uid: "u" } }
      assert.strictEqual(kinds.PriorityLevelConfiguration.defaults(one), one)
      assert.deepStrictEqual(kinds.PriorityLevelConfiguration.validation.create(named), [], metadata.name)
    }
    for (const one of schemas) {
      assert.strictEqual(kinds.FlowSchema.defaults(one), one)
      assert.deepStrictEqual(kinds.FlowSchema.validation.create(one), [], one.metadata.name)
      assert.isTrue(levels.some(({ metadata }) => metadata.name === one.spec?.priorityLevelConfiguration.name))
    }
  })

  it("have the table rows of genuine ones", () => {
    const table = tableOf(printerOf({ group: "flowcontrol.apiserver.k8s.io", kind: "FlowSchema" }), schemas, {
      nowMs: 0
    })
    assert.deepStrictEqual(
      table.rows.map(({ cells }) => cells.filter((_, index) => index !== 4)),
      [
        ["exempt", "exempt", 1, "<none>", "?"],
        ["probes", "exempt", 2, "<none>", "?"],
        ["system-leader-election", "leader-election", 100, "ByUser", "?"],
        ["system-node-high", "node-high", 400, "ByUser", "?"],
        ["system-nodes", "system", 500, "ByUser", "?"],
        ["kube-controller-manager", "workload-high", 800, "ByNamespace", "?"],
        ["kube-scheduler", "workload-high", 800, "ByNamespace", "?"],
        ["kube-system-service-accounts", "workload-high", 900, "ByNamespace", "?"],
        ["service-accounts", "workload-low", 9000, "ByUser", "?"],
        ["global-default", "global-default", 9900, "ByUser", "?"],
        ["catch-all", "catch-all", 10_000, "ByUser", "?"]
      ]
    )
  })

  it("have the storage versions that discovery shows for genuine ones", () => {
    assert.strictEqual(storageVersionHash(kindTable.FlowSchema.resource), "GJVAJZSZBIw=")
    assert.strictEqual(storageVersionHash(kindTable.PriorityLevelConfiguration.resource), "Kir5PVfvNeI=")
  })
})

describe("a priority level", () => {
  it("is defaulted, and counts the changes of its spec", () => {
    const testServer = makeTestServer()
    const made = testServer.create("PriorityLevelConfiguration", level("a", limited({ type: "Queue", queuing: {} })))
    assert.deepStrictEqual(made.spec, {
      type: "Limited",
      limited: {
        limitResponse: { type: "Queue", queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
        nominalConcurrencyShares: 30,
        lendablePercent: 0
      }
    })
    assert.strictEqual(made.metadata.generation, 1)
    assert.deepStrictEqual(made.status, {})
    const zero = testServer.create(
      "PriorityLevelConfiguration",
      level("zero", limited({ type: "Reject" }, { nominalConcurrencyShares: 0 }))
    )
    assert.strictEqual(zero.spec?.limited?.nominalConcurrencyShares, 0)
  })

  it("is refused with the messages of genuine servers", () => {
    const testServer = makeTestServer()
    const queue = (queuing: object) => limited({ type: "Queue", queuing: { queueLengthLimit: 1, ...queuing } })
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ type: "Limited" }, "spec.limited: Required value: must not be empty when type is Limited"],
      [{ type: "Bogus" }, 'spec.type: Unsupported value: "Bogus": supported values: "Exempt", "Limited"'],
      [{ type: "Exempt" }, "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
      [
        limited({ type: "Reject", queuing: { queues: 1 } }),
        "spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited"
      ],
      [
        queue({ queues: 4, handSize: 5 }),
        "spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"
      ],
      [
        queue({ queues: 512, handSize: 8 }),
        "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60"
      ],
      [
        limited({ type: "Reject" }, { lendablePercent: 101, borrowingLimitPercent: -1 }),
        "[spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive, spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer]"
      ]
    ]
    for (const [spec, message] of cases) {
      assert.strictEqual(messageOf(testServer, "PriorityLevelConfiguration", level("b", spec)), message)
    }
  })

  it("that is mandatory keeps its spec, except for the shares of the exempt one", () => {
    const testServer = makeTestServer()
    const catchAll = level("catch-all", limited({ type: "Reject" }, { nominalConcurrencyShares: 6 }))
    assert.strictEqual(
      messageOf(testServer, "PriorityLevelConfiguration", catchAll),
      'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of \'catch-all\' must equal the fixed value'
    )
    const exempt = level("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 9 } })
    assert.strictEqual(testServer.create("PriorityLevelConfiguration", exempt).spec?.exempt?.lendablePercent, 0)
  })
})

describe("a flow schema", () => {
  const rule = (more: object) => ({ rules: [{ subjects: [{ kind: "User", user: { name: "a" } }], ...more }] })
  const resource = (more: object) =>
    rule({ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"], ...more }] })

  it("matches late by default", () => {
    const made = makeTestServer().create("FlowSchema", schema("a", {})) as FlowSchema
    assert.strictEqual(made.spec?.matchingPrecedence, 1000)
  })

  it("is refused with the messages of genuine servers", () => {
    const testServer = makeTestServer()
    const path = (url: string) => rule({ nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [url] }] })
    const cases: ReadonlyArray<readonly [object, string]> = [
      [
        { matchingPrecedence: 1 },
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"
      ],
      [{ matchingPrecedence: -1 }, "spec.matchingPrecedence: Invalid value: -1: must be a positive value"],
      [
        { priorityLevelConfiguration: {} },
        "spec.priorityLevelConfiguration.name: Required value: must reference a priority level"
      ],
      [
        rule({}),
        "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty"
      ],
      [
        resource({ verbs: ["get", "*"] }),
        'spec.rules[0].resourceRules[0].verbs: Invalid value: ["get","*"]: if \'*\' is present, must not specify other verbs'
      ],
      [
        resource({ namespaces: [] }),
        "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace"
      ],
      [
        path("healthz"),
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "healthz": must start with slash'
      ],
      [
        path("/a*"),
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching'
      ],
      [
        { rules: [{ ...path("/a").rules[0], subjects: [{ kind: "Group", user: { name: "a" } }] }] },
        "[spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group', spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User']"
      ]
    ]
    for (const [spec, message] of cases) {
      assert.strictEqual(messageOf(testServer, "FlowSchema", schema("b", spec)), message)
    }
  })

  it("that is mandatory keeps its spec", () => {
    const [exempt] = mandatoryFlowSchemas
    const spec = { ...exempt?.spec, matchingPrecedence: 2 }
    assert.match(
      messageOf(makeTestServer(), "FlowSchema", schema("exempt", spec)),
      /spec of 'exempt' must equal the fixed value$/
    )
  })
})
