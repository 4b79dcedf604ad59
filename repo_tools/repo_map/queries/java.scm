(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @constant
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(annotation_type_element_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
