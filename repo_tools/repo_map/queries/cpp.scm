(function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name) @function
(function_declarator declarator: (template_function name: (identifier) @name)) @function
(operator_cast) @name @function
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])
] body: (_)) @class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])
] body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(pointer_declarator declarator: (type_identifier) @name) @type
(array_declarator declarator: (type_identifier) @name) @type
(function_declarator declarator: (type_identifier) @name) @type
(function_declarator declarator: (parenthesized_declarator (type_identifier) @name)) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name value: (_)) @macro
