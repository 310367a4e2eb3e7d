import ts from 'typescript';

/** Writes types out whole, so that a reader needs no other file and no schema library to know a shape. */
export class TypeText {
  readonly #checker: ts.TypeChecker;
  /** types that have a name of their own in the text */
  readonly #named: ReadonlyMap<ts.Type, string>;

  constructor(checker: ts.TypeChecker, named: ReadonlyMap<ts.Type, string>) {
    this.#checker = checker;
    this.#named = named;
  }

  alias(name: string, symbol: ts.Symbol): string {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    return `${this.#doc(symbol, '')}export type ${name} = ${this.#text(type, '', name)};`;
  }

  #doc(symbol: ts.Symbol, indent: string): string {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    if (text === '') return '';
    const lines = text.split('\n');
    if (lines.length === 1) return `${indent}/** ${text} */\n`;
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`).join('\n')}\n${indent} */\n`;
  }

  /** @param within name of the type that is being written: it does not stand for itself */
  #text(type: ts.Type, indent: string, within = ''): string {
    const name = this.#named.get(type);
    if (name !== undefined && name !== within) return name;
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isUnion()) return this.#union(type.types, indent);
    if (this.#checker.isTupleType(type)) {
      const items = this.#checker.getTypeArguments(type as ts.TypeReference).map((item) => this.#text(item, indent));
      const { readonly } = (type as ts.TupleTypeReference).target;
      return `${readonly ? 'readonly ' : ''}[${items.join(', ')}]`;
    }
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
      const readonly = type.symbol?.name === 'ReadonlyArray' ? 'readonly ' : '';
      const text = this.#text(item as ts.Type, indent);
      return `${readonly}${/[|&]|^readonly /.test(text) && !text.startsWith('{') ? `(${text})` : text}[]`;
    }
    const isObject = type.isIntersection()
      ? type.types.every(({ flags }) => flags & ts.TypeFlags.Object)
      : type.flags & ts.TypeFlags.Object;
    if (!isObject || type.getCallSignatures().length > 0 || isForeign(type)) return this.#checker.typeToString(type);
    return this.#object(type, indent);
  }

  #union(types: readonly ts.Type[], indent: string): string {
    const texts = types.map((type) => this.#text(type, indent));
    const both = texts.includes('true') && texts.includes('false');
    const kept = both ? [...texts.filter((text) => text !== 'true' && text !== 'false'), 'boolean'] : texts;
    // the compiler's own order follows from what it happened to see first
    const isLast = (text: string): boolean => text === 'null' || text === 'undefined';
    return [...kept.filter((text) => !isLast(text)).toSorted(), ...kept.filter(isLast)].join(' | ');
  }

  #object(type: ts.Type, indent: string): string {
    const inner = `${indent}  `;
    const fields = this.#checker.getPropertiesOfType(type).map((property) => this.#field(property, inner));
    const open = this.#checker
      .getIndexInfosOfType(type)
      .map(
        ({ keyType, type: value }) => `${inner}[field: ${this.#text(keyType, inner)}]: ${this.#text(value, inner)};\n`,
      );
    return fields.length + open.length === 0 ? '{}' : `{\n${fields.join('')}${open.join('')}${indent}}`;
  }

  #field(property: ts.Symbol, indent: string): string {
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const type = this.#checker.getTypeOfSymbol(property);
    const shown =
      optional && type.isUnion() ? type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)) : null;
    const text = shown === null ? this.#text(type, indent) : this.#union(shown, indent);
    const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
    return `${this.#doc(property, indent)}${indent}${name}${optional ? '?' : ''}: ${text};\n`;
  }
}

/** Declared by the language or a library, and so known by its name. */
function isForeign(type: ts.Type): boolean {
  const file = (type.symbol?.declarations?.[0]?.getSourceFile().fileName ?? '').replaceAll('\\', '/');
  const isLiteral = type.symbol !== undefined && /^(__type|__object)$/.test(type.symbol.name);
  return !isLiteral && (file.includes('/node_modules/typescript/lib/') || file.includes('/node_modules/@types/'));
}
