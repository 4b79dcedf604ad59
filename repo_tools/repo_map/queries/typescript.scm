(function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @name) @constant)))
(ambient_declaration (_ (variable_declarator name: (identifier) @name) @constant))
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @method
(variable_declarator value: (object (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function))
(variable_declarator value: (_ (object (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function)))
(internal_module name: [(identifier) @name (nested_identifier property: (_) @name)]) @module
(module name: [(identifier) @name (nested_identifier property: (_) @name) (string (string_fragment) @name)]) @module
