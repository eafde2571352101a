import { nearest, parseDuration, type Release, releases } from "@rollcall/api"
import {
  type InvalidInput,
  readConfig,
  type Setting,
  type SettingsTable,
  writeConfig,
  writtenValue
} from "@rollcall/input"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readSettingFlags } from "../settings/readSettingFlags.ts"

/** Whether a value is a table of settings: how a test finds all that a package has. */
export const isSettingsTable = (value: unknown): value is SettingsTable =>
  Predicate.isReadonlyObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((one) => Predicate.isReadonlyObject(one) && "initial" in one && "type" in one)

const runs = { numRuns: 30 }

const FILE = "settings.yaml"
const BASE = "spec.config.component"
const place = { file: FILE, path: BASE }

const nested = (path: string, value: unknown): unknown =>
  path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value)

/** A name that is nearly this one: without the letter in its middle. */
const misspelt = (name: string): string => {
  const middle = Math.floor(name.length / 2)
  return name.slice(0, middle) + name.slice(middle + 1)
}

const anyValue = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.boolean(),
  fc.string()
)

/** The longest duration that Go holds: 2^63 nanoseconds. */
const LONGEST_MS = Math.floor(2 ** 63 / 1e6)

/** The safe range of a value that is written as text, by the placeholder of its type. */
const mostOf: Readonly<Record<string, number>> = { duration: LONGEST_MS, int: Number.MAX_SAFE_INTEGER }

const keepsAsText = (value: unknown, placeholder = ""): boolean => {
  const most = mostOf[placeholder]
  return most === undefined || (Number.isSafeInteger(value) && Math.abs(Number(value)) <= most)
}

/** Values that a setting may have and that text keeps exactly; text has no negative zero. */
const valuesOf = ({ type }: Setting<unknown>): fc.Arbitrary<unknown> => {
  const isValue = Schema.is(Schema.toType(type.schema))
  return anyValue.filter((value) => isValue(value) && !Object.is(value, -0) && keepsAsText(value, type.placeholder))
}

/** Refused, with a file and a path in every problem; answers the messages. */
const refusal = (read: Result.Result<unknown, InvalidInput>): string => {
  const error = Result.isFailure(read) ? read.failure : assert.fail(`accepted ${JSON.stringify(read.success)}`)
  assert.strictEqual(error._tag, "InvalidInput")
  assert.isNotEmpty(error.problems)
  for (const { file, message, path } of error.problems) {
    assert.strictEqual(file, FILE)
    assert.isTrue(path.startsWith(BASE), path)
    assert.notStrictEqual(message, "")
  }
  return error.message
}

/** Which texts Go's flag library takes at most, by the placeholder of the flag's type. */
const textsOf: Readonly<Record<string, (text: string) => boolean>> = {
  switch: (text) => ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"].includes(text),
  int: (text) => text.trim() !== "" && Number.isInteger(Number(text.replaceAll("_", ""))),
  float: (text) => text.trim() !== "" && Number.isFinite(Number(text)),
  duration: (text) => Number.isFinite(parseDuration(text)),
  string: () => true
}

const config = (table: SettingsTable, value: unknown, warnings: Array<string> = []) =>
  readConfig(table, place, value, warnings)
const flags = (table: SettingsTable, texts: ReadonlyArray<string>, warnings: Array<string> = []) =>
  readSettingFlags("component", table, place, texts, warnings)

const everyRelease: ReadonlyArray<Release> = Object.values(releases)

const ofPath = (table: SettingsTable, key: string, path: string, isValue: (raw: unknown) => boolean) => {
  const names = path.split(".")
  const last = names.at(-1) ?? ""
  const paths = Object.values(table).flatMap((one) => one.path ?? [])

  it("is refused in a file when it is none, with its path", () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        const read = config(table, nested(path, raw))
        if (Result.isSuccess(read)) assert.isTrue(isValue(raw) || Predicate.isReadonlyObject(raw), `${key} took it`)
        else if (!Predicate.isReadonlyObject(raw)) assert.include(refusal(read), `${FILE}: ${BASE}.${path}: found `)
        else refusal(read)
      }),
      runs
    )
  })

  it("is refused in a file when its name is misspelt or stands elsewhere, with the right one", () => {
    const wrong = [...names.slice(0, -1), misspelt(last)].join(".")
    if (last.length > 7) {
      assert.include(refusal(config(table, nested(wrong, 1))), `did you mean "${nearest(wrong, paths) ?? ""}"?`)
      assert.strictEqual(nearest(wrong, paths), path)
    }
    for (const elsewhere of [last, `another.${last}`].filter((other) => !paths.includes(other))) {
      assert.include(refusal(config(table, nested(elsewhere, 1))), `unknown field; did you mean "${path}"?`)
    }
  })
}

const ofFlag = (table: SettingsTable, flag: string, isText: (text: string) => boolean) => {
  it("is refused as a flag when its text is none, with its place", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = flags(table, [`--${flag}=${text}`])
        if (Result.isSuccess(read)) assert.isTrue(isText(text))
        else
          assert.include(
            refusal(read),
            `${FILE}: ${BASE}[0]: invalid argument ${JSON.stringify(text)} for "--${flag}" flag: `
          )
      }),
      runs
    )
  })

  it("is refused as a flag when its name is misspelt, with the right one", () => {
    const wrong = misspelt(flag)
    assert.include(refusal(flags(table, [`--${wrong}=1`])), `unknown flag: --${wrong}; did you mean "--${flag}"?`)
  })
}

/** What holds of every setting of a table, one that is added tomorrow too. */
export const settingsContract = (name: string, table: SettingsTable): void => {
  describe(`settings: ${name}`, () => {
    it("have names of their own, and defaults that are values", () => {
      const all: ReadonlyArray<Setting<unknown>> = Object.values(table)
      for (const names of [all.flatMap(({ flag }) => flag ?? []), all.flatMap(({ path }) => path ?? [])]) {
        assert.strictEqual(new Set(names).size, names.length)
      }
      for (const [key, { flag, initial, path, type }] of Object.entries<Setting<unknown>>(table)) {
        assert.isDefined(flag ?? path, `${key} cannot be set`)
        for (const release of everyRelease) {
          const value = initial(release)
          assert.isTrue(value === undefined || Schema.is(Schema.toType(type.schema))(value), key)
        }
      }
    })

    it("name in a warning what has no effect, and take nothing from it", () => {
      const warnings: Array<string> = []
      const read = Result.getOrThrow(config(table, { wholly: { unheardOf: 1 } }, warnings))
      assert.deepStrictEqual(read, {})
      assert.deepStrictEqual(Result.getOrThrow(flags(table, ["--xyzzy=1"], warnings)), {})
      assert.deepStrictEqual(warnings, [
        `${FILE}: ${BASE}.wholly.unheardOf is not supported and has no effect`,
        `${FILE}: ${BASE}[0]: --xyzzy is not supported and has no effect`
      ])
    })

    for (const [key, one] of Object.entries<Setting<unknown>>(table)) {
      const { flag, path, type } = one
      const decode = Schema.decodeUnknownOption(type.schema)
      describe(key, () => {
        it("is read as it is written, from a file and from a flag", () => {
          fc.assert(
            fc.property(valuesOf(one), (value) => {
              const given = { [key]: value }
              if (path !== undefined) {
                assert.deepStrictEqual(Result.getOrThrow(config(table, writeConfig(table, given))), given)
              }
              if (flag !== undefined) {
                const text = `--${flag}=${writtenValue(one, value)}`
                assert.deepStrictEqual(Result.getOrThrow(flags(table, [text])), given)
              }
            }),
            runs
          )
        })
        if (path !== undefined) ofPath(table, key, path, (raw) => Option.isSome(decode(raw)))
        if (flag !== undefined) ofFlag(table, flag, textsOf[type.placeholder ?? "switch"] ?? (() => false))
      })
    }
  })
}
