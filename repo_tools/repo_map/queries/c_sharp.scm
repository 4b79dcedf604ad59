(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name) @property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @constant
(field_declaration (modifier "static") (modifier "readonly") (variable_declaration (variable_declarator name: (identifier) @name))) @constant
(field_declaration (modifier "readonly") (modifier "static") (variable_declaration (variable_declarator name: (identifier) @name))) @constant
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @property
(event_declaration name: (identifier) @name) @property
(operator_declaration operator: _ @name (#not-match? @name "^[a-z]")) @method
(indexer_declaration parameters: (_) @name) @method
(destructor_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name (#not-eq? @name "if")) @function
