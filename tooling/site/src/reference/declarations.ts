import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { declarationOf, exportedNames, type Module, parseModule } from "@rollcall/house/exports"

/** A name that a package exports, as TypeScript declares it. */
export interface Declaration {
  readonly name: string
  /** The declaration without the words export and declare, without private members. */
  readonly text: string
  /** The Markdown of its doc comment; empty if there is none. */
  readonly doc: string
  /** The source file, below the root of the repository. */
  readonly source: string
}

interface DocumentedModule extends Module {
  /** The doc comment of each declaration at the top level. */
  readonly docs: ReadonlyMap<string, string>
}

const COMMENT = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm
const DOCUMENTED =
  /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export )?(?:declare )?(?:abstract )?(?:const|let|class|function|interface|type|enum|namespace) (\w+)/gm
const PRIVATE = /(?: *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)? +(?:private |#private)[^\n]*\n/g

const parse = (text: string): DocumentedModule => {
  const docs = new Map<string, string>()
  for (const [, comment = "", name = ""] of text.matchAll(DOCUMENTED))
    if (!docs.has(name)) docs.set(name, comment.replaceAll(/^[ \t]*\* ?/gm, "").trim())
  return { ...parseModule(text), docs }
}

/** Returns a declaration without what belongs to the next one, and without what users cannot see. */
const visible = (declaration: string): string =>
  declaration
    .replaceAll(COMMENT, "")
    .replaceAll(PRIVATE, "")
    .replaceAll(/^(?:export \{\};|\/\/# sourceMappingURL=.*)$/gm, "")
    .replaceAll(/^(?:export )?(?:declare )?(?=\w)/gm, "")
    .replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 2))
    .trim()

/** The declarations of all packages, written by TypeScript from their sources. */
export class Declarations {
  private readonly folder: string
  private readonly modules = new Map<string, DocumentedModule>()

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Has the workspace's TypeScript write the declarations of all packages. It checks no types, which takes a few seconds. */
  static write(root: string): Declarations {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-declarations-"))
    const config = join(folder, "tsconfig.json")
    const compilerOptions = {
      noEmit: false,
      noCheck: true,
      emitDeclarationOnly: true,
      declarationMap: false,
      rootDir: root,
      outDir: folder,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")]
    }
    const include = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name, "src"))
    writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include }))
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", config], { stdio: "inherit" })
    return new Declarations(folder)
  }

  /** Removes the written files. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Returns the declarations that a source file exports, in its order; those of other packages are left out. */
  exportedBy(source: string): ReadonlyArray<Declaration> {
    const file = join(this.folder, source.replace(/\.ts$/, ".d.ts"))
    return [...exportedNames(this.read, file)].flatMap((name) => {
      const found = declarationOf(this.read, file, name)
      return found === undefined ? [] : [{ ...this.declaration(found.file, found.name), name }]
    })
  }

  private declaration(path: string, name: string): Declaration {
    const { declarations, docs } = this.read(path)
    const text = visible(declarations.get(name) ?? "")
    // The base of a class is a constant beside it, of which users need the type.
    const base = new RegExp(`extends (${name}_base)\\b`).exec(text)?.[1]
    const baseType = base === undefined ? "" : visible(declarations.get(base) ?? "").replace(/^const \w+: |;$/g, "")
    return {
      name,
      text: base === undefined || baseType === "" ? text : text.replace(base, baseType),
      doc: docs.get(name) ?? "",
      source: relative(this.folder, path).replace(/(?:\.d)?\.ts$/, ".ts")
    }
  }

  private readonly read = (file: string): DocumentedModule => {
    // Declarations name the sources that they are made of.
    const path = file.replace(/(?<!\.d)\.ts$/, ".d.ts")
    const known = this.modules.get(path) ?? parse(readFileSync(path, "utf8"))
    this.modules.set(path, known)
    return known
  }
}
