import { assert, describe, it } from "vitest"
import {
  type FieldErrors,
  fieldErrorText,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWriteOptions
} from "../../src/validation/index.ts"

const texts = (errors: FieldErrors): ReadonlyArray<string> => errors.map(fieldErrorText)

describe("options of writes", () => {
  it("may be absent", () => {
    assert.deepStrictEqual(texts(validateWriteOptions({})), [])
    assert.deepStrictEqual(texts(validateWriteOptions({ dryRun: ["All"], fieldValidation: "Strict" })), [])
  })

  it("name a manager of at most 128 printable bytes", () => {
    assert.deepStrictEqual(texts(validateWriteOptions({ fieldManager: "a".repeat(129) })), [
      "fieldManager: Too long: may not be more than 128 bytes"
    ])
    assert.deepStrictEqual(texts(validateWriteOptions({ fieldManager: "é\u0001" })), [
      'fieldManager: Invalid value: "é\\x01": invalid character U+0001 (at position 2)'
    ])
  })

  it("force only an apply, and require a manager for an apply", () => {
    assert.deepStrictEqual(texts(validatePatchOptions({ force: false }, "merge")), [
      "force: Forbidden: may not be specified for non-apply patch"
    ])
    assert.deepStrictEqual(texts(validatePatchOptions({ force: true }, "apply")), [
      "fieldManager: Required value: is required for apply patch"
    ])
  })

  it("delete in one way", () => {
    assert.deepStrictEqual(texts(validateDeleteOptions({ propagationPolicy: "<a", orphanDependents: true })), [
      'propagationPolicy: Invalid value: "\\u003ca": orphanDependents and deletionPropagation cannot be both set',
      'propagationPolicy: Unsupported value: "\\u003ca": supported values: "Foreground", "Background", "Orphan", "nil"'
    ])
  })
})

describe("options of list and watch", () => {
  it.each<[Parameters<typeof validateListOptions>[0], ReadonlyArray<string>]>([
    [{ resourceVersion: "5", resourceVersionMatch: "Exact" }, []],
    [{ watch: true, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }, []],
    [
      { resourceVersion: "0", resourceVersionMatch: "Exact" },
      ['resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"']
    ],
    [
      { resourceVersion: "5", continue: "x", resourceVersionMatch: "NotOlderThan" },
      ["resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"]
    ],
    [{ sendInitialEvents: true }, ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"]],
    [
      { watch: true, sendInitialEvents: true },
      ["resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"]
    ],
    [
      { watch: true, resourceVersionMatch: "Exact" },
      [
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"'
      ]
    ]
  ])("%j", (options, faults) => {
    assert.deepStrictEqual(texts(validateListOptions(options)), faults)
  })
})
