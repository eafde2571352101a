import type { KubeObject } from "@rollcall/api"
import { goJson, parseJsonPath, printJsonPath } from "@rollcall/api/printing"
import * as Result from "effect/Result"
import { type CommandError, commandError } from "../CommandError.ts"
import { kindText } from "../Mapping.ts"
import { customColumns } from "./customColumns.ts"
import { toYaml } from "./yaml.ts"

/** Prints objects as text. */
export interface ObjectPrinter {
  readonly print: (object: KubeObject) => Result.Result<string, CommandError>
  /** Whether several objects are printed one by one instead of as a List. */
  readonly oneByOne: boolean
}

const formats =
  "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml"

const nameLine = ({ apiVersion, kind, metadata }: KubeObject): string => {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : ""
  return `${kindText({ group, kind })}/${metadata.name ?? ""}\n`
}

const withoutManagedFields = (object: KubeObject): KubeObject => {
  const { items } = object as KubeObject & { readonly items?: ReadonlyArray<KubeObject> }
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata, ...(items === undefined ? {} : { items: items.map(withoutManagedFields) }) }
}

const jsonPathPrinter = (template: string): Result.Result<ObjectPrinter, CommandError> => {
  if (template === "") return Result.fail(commandError("template format specified but no template given"))
  const parsed = parseJsonPath(template)
  if (Result.isFailure(parsed)) {
    return Result.fail(commandError(`error parsing jsonpath ${template}, ${parsed.failure.message}`))
  }
  return Result.succeed({
    oneByOne: false,
    print: (object) =>
      Result.mapError(printJsonPath(parsed.success, object, { allowMissingKeys: true }), ({ message }) =>
        commandError(`error executing jsonpath ${JSON.stringify(template)}: Error executing template: ${message}`)
      )
  })
}

/** Returns the printer of an output format; `undefined`: the format is a table. */
export const objectPrinterOf = (
  output: string | undefined,
  options: { readonly showManagedFields?: boolean } = {}
): Result.Result<ObjectPrinter | undefined, CommandError> => {
  const shown = options.showManagedFields ? (object: KubeObject) => object : withoutManagedFields
  const [format = "", ...rest] = (output ?? "").split("=")
  const template = rest.join("=")
  switch (format) {
    case "":
    case "wide":
      return Result.succeed(undefined)
    case "json":
      return Result.succeed({ oneByOne: false, print: (object) => Result.succeed(`${goJson(shown(object), 4)}\n`) })
    case "yaml": {
      let printed = false
      return Result.succeed({
        oneByOne: false,
        print: (object) => {
          const before = printed ? "---\n" : ""
          printed = true
          return Result.succeed(before + toYaml(shown(object)))
        }
      })
    }
    case "name":
      return Result.succeed({ oneByOne: true, print: (object) => Result.succeed(nameLine(object)) })
    case "jsonpath":
      return jsonPathPrinter(template)
    case "custom-columns":
      return Result.map(customColumns(template), (print) => ({ oneByOne: false, print }))
    default:
      return Result.fail(
        commandError(
          `unable to match a printer suitable for the output format ${JSON.stringify(output)}, allowed formats are: ${formats}`
        )
      )
  }
}
