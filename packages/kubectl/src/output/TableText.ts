import type { KubeObject, Table, TableColumnDefinition, TableRow } from "@rollcall/api"
import { memberOf } from "@rollcall/api/values"
import { TabWriter } from "./TabWriter.ts"

export interface TableTextOptions {
  readonly wide: boolean
  readonly noHeaders: boolean
  readonly withNamespace: boolean
  /** The kind to put before names, such as `pod`. */
  readonly kind?: string
  readonly showLabels: boolean
  readonly labelColumns: ReadonlyArray<string>
}

/** Truncates a cell at its first line break. */
const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell !== "string") return typeof cell === "object" ? JSON.stringify(cell) : String(cell)
  const end = cell.search(/[\n\r\f]/)
  return end < 0 ? cell : `${cell.slice(0, end)}...`
}

const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || "<none>"

/** Prints the rows of one resource in columns. Upstream: cli-runtime/pkg/printers/tableprinter.go. */
export class TableText {
  private readonly options: TableTextOptions
  private readonly writer = new TabWriter({ minWidth: 6, padding: 3, remember: true })
  private columns: ReadonlyArray<TableColumnDefinition> | undefined
  private started = false

  constructor(options: TableTextOptions) {
    this.options = options
  }

  /** Returns the lines of a table. Later tables of a watch may leave out the column definitions. */
  add(table: Pick<Table, "rows"> & { readonly columnDefinitions?: Table["columnDefinitions"] | null }): void {
    if (table.columnDefinitions && table.columnDefinitions.length > 0) this.columns = table.columnDefinitions
    if (!this.started && !this.options.noHeaders) this.writer.write(`${this.headers().join("\t")}\n`)
    this.started = true
    for (const row of table.rows ?? []) this.writer.write(`${this.cells(row).join("\t")}\n`)
  }

  flush(): string {
    return this.writer.flush()
  }

  private isShown({ priority }: TableColumnDefinition): boolean {
    return this.options.wide || (priority ?? 0) === 0
  }

  private headers(): ReadonlyArray<string> {
    const { labelColumns, showLabels, withNamespace } = this.options
    return [
      ...(withNamespace ? ["NAMESPACE"] : []),
      ...(this.columns ?? []).filter((column) => this.isShown(column)).map(({ name }) => name.toUpperCase()),
      ...labelColumns.map((label) => (label.split("/").at(-1) ?? label).toUpperCase()),
      ...(showLabels ? ["LABELS"] : [])
    ]
  }

  private cells(row: TableRow): ReadonlyArray<string> {
    const { kind, labelColumns, showLabels, withNamespace } = this.options
    const { metadata } = (row.object ?? { metadata: {} }) as KubeObject
    const cells = (this.columns ?? []).flatMap((column, index) => {
      if (!this.isShown(column)) return []
      const text = cellText(row.cells[index])
      return [kind !== undefined && index === 0 ? `${kind}/${text}` : text]
    })
    return [
      ...(withNamespace ? [metadata.namespace ?? ""] : []),
      ...cells,
      ...labelColumns.map((label) => memberOf(metadata.labels, label) ?? ""),
      ...(showLabels ? [labelsText(metadata.labels)] : [])
    ]
  }
}
